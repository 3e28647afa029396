import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { report, slackChannel, watchedEntity } from './incident-world.ts';
import { button, pollNow, waitForMessage } from './person.ts';
import { arrive, personAt } from './places.ts';

describe.skipIf(!binary)('incident pages in a browser', () => {
  const world = browserAndService();
  const receiver = receiving();

  /**
   * Creates an open incident of the web shop, with an alert and an execution, and a resolved incident of mail. Opens a
   * page.
   */
  async function openIncidents(place = '/incidents') {
    const admin = await newTenant();
    const mail = await watchedEntity(admin, 'mail', 'Mail', ['smtp']);
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout', 'login']);
    const [smtp, checkout, login] = [mail.checks[0]!, ...shop.checks] as [string, string, string];
    await slackChannel(admin, checkout, `${receiver().url}/${admin.key.slice(-8)}`);
    const action = {
      name: 'Restart the shop',
      url: 'http://nowhere.fleetwatch-test.com/',
      trigger_type: 'state_change',
      check_id: checkout,
      trigger_to_state: 'down',
    };
    got(await admin.post('/v1/actions', action), 201);
    const incidentOf = (id: string) =>
      eventually(async () => (await admin.get(`/v1/incidents?entity_id=${id}`)).body[0]?.id as string | undefined);
    await report(admin, smtp, 'mailbox full');
    const resolved = await incidentOf(mail.id);
    await report(admin, smtp, true);
    await eventually(async () => (await admin.post(`/v1/incidents/${resolved}/resolve`)).status === 200);
    await report(admin, checkout, 'card declined');
    const incident = await incidentOf(shop.id);
    const person = await personAt(world.browser, world.url, admin.key, place);
    const rows = person.page.getByRole('table', { name: 'Incidents' }).locator('tbody tr');
    const textOf = async (row: number) => (await rows.nth(row).textContent()) ?? '';
    return { ...person, admin, mail, shop, checkout, login, incident, rows, textOf };
  }

  it('lists open incidents first, and updates without a reload', async () => {
    const { page, admin, rows, textOf, complaints } = await openIncidents();
    await rows.nth(1).waitFor();
    expect(await textOf(0)).toMatch(/Open.*Web shop.*not yet/s);
    expect(await textOf(1)).toMatch(/Resolved.*Mail/s);
    const made = { title: 'Payments are slow', impact: 'degraded' };
    got(await admin.post('/v1/incidents', made), 201);
    await pollNow({ page });
    await eventually(async () => (await rows.count()) === 3, 15_000);
    expect(await textOf(0)).toMatch(/Open.*Payments are slow.*manual/s);
    expect(complaints).toEqual([]);
  });

  it('shows the changes of a flapping check as one entry of the timeline, explained once', async () => {
    const { page, admin, checkout, complaints } = await openIncidents();
    for (let i = 0; i < 2; i++) {
      await report(admin, checkout, true);
      await report(admin, checkout, 'card declined');
    }
    await page.getByRole('link', { name: /Web shop/ }).click();
    const timeline = page.locator('section', { has: page.getByRole('heading', { level: 2, name: 'Timeline' }) });
    await timeline.getByText(/^Down 3 times in/).waitFor({ timeout: 30_000 });
    expect(await timeline.getByText('card declined').first().isVisible()).toBe(false);
    await timeline.getByText(/^Show \d+ entries$/).click();
    expect(await timeline.getByText('card declined').count()).toBe(3);
    expect(await timeline.getByText('Explain: result of each rule').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('shows entities, notified channels and timeline, and follows the incident until it is resolved', async () => {
    const person = await openIncidents();
    const { page, admin, checkout, login, shop, complaints, textOf } = person;
    await page.getByRole('link', { name: /Web shop/ }).click();
    await page.getByRole('heading', { level: 1, name: /Web shop/ }).waitFor();
    const section = (name: string) =>
      page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) });
    await section('Notified channels')
      .getByRole('link', { name: /^Slack 127/ })
      .waitFor();
    await section('Timeline').getByText('card declined').waitFor();
    await section('Actions').getByRole('link', { name: 'Restart the shop' }).waitFor();
    await section('Timeline').getByText('Explain: result of each rule').first().click();
    await section('Timeline')
      .getByText(/An alert was sent to 1 channel/)
      .waitFor();

    await button(person, 'Acknowledge').click();
    await page.getByRole('dialog').getByLabel(/^Note/).fill('on it');
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.locator('.incident-facts').getByText(/on it/).waitFor();
    expect((await admin.get(`/v1/checks/${checkout}`)).body.acknowledgement).toMatchObject({ note: 'on it' });
    await button(person, 'Add note').click();
    await page.getByRole('dialog').getByLabel(/^Note/).fill('the bank is down\nas they say');
    await page.getByRole('dialog').getByRole('button', { name: 'Add note' }).click();
    await section('Timeline').getByText('the bank is down').waitFor();
    // The console sees a degraded entity; only the service knows that a check is down.
    await button(person, 'Resolve').click();
    await waitForMessage(person, /acknowledge it/);

    await report(admin, login, 'no session');
    await pollNow(person);
    await section('Timeline').getByText('no session').waitFor();
    await expect
      .poll(() => button(person, 'Resolve').getAttribute('title'))
      .toMatch(/still down: acknowledge the incident/);
    for (const check of [checkout, login]) await report(admin, check, true);
    await pollNow(person);
    await page
      .locator('.incident-facts')
      .getByText(/Recovered.*watching until \d/)
      .waitFor();
    await arrive(person, '/incidents');
    await eventually(async () => /Recovered.*Web shop.*watching until \d/s.test(await textOf(0)));
    await page.goBack();
    await eventually(async () => {
      // The button is disabled while a request is in progress.
      await button(person, 'Resolve').click({ force: true });
      return page.getByText('Resolved at', { exact: true }).isVisible();
    }, 15_000);
    expect(await page.locator('.incident-facts').textContent()).toMatch(/State\s*Resolved/);
    await arrive(person, '/entities/shop/web');
    await section('Incidents')
      .getByRole('link', { name: /Web shop/ })
      .waitFor();
    await page.getByRole('link', { name: 'Show all incidents' }).click();
    await page.getByRole('table', { name: 'Incidents' }).waitFor();
    expect(page.url()).toContain(`entity=${shop.id}`);
    expect(complaints.filter((one) => !/409/.test(one))).toEqual([]);
  });

  it('filters by state, entity and time, and keeps the filters in the address', async () => {
    const person = await openIncidents();
    const { page, rows, textOf, mail } = person;
    await page.getByLabel('State').selectOption('resolved');
    await eventually(async () => (await rows.count()) === 1 && /Mail/.test(await textOf(0)));
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByText('Time range').click();
    await page.getByLabel(/^Since/).fill('2999-01-01T00:00');
    await page.getByText('No matching incidents').waitFor();
    await button(person, 'Show all').click();
    await eventually(async () => (await rows.count()) === 2);
    await page.getByRole('combobox', { name: 'Entity' }).fill('mai');
    await page.keyboard.press('Enter');
    await eventually(async () => (await rows.count()) === 1 && /Mail/.test(await textOf(0)));
    expect(page.url()).toContain(`entity=${mail.id}`);
  });

  it('opens a manual incident, and shows a message for an unknown one', async () => {
    const person = await openIncidents('/incidents/inc_none');
    const { page } = person;
    await page.getByText('Incident not found').waitFor();
    await arrive(person, '/incidents');
    await button(person, 'New incident').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Add entity' }).fill('Web');
    await page.getByRole('option', { name: /Web shop/ }).click();
    await dialog.getByLabel(/^Impact/).selectOption('degraded');
    await button(person, 'Create incident').click();
    await dialog.locator('.field', { hasText: 'Title' }).locator('.field-error').waitFor();
    await dialog.getByLabel(/^Title/).fill('Payments are slow');
    await button(person, 'Create incident').click();
    await page.getByRole('heading', { level: 1, name: 'Payments are slow' }).waitFor();
    await button(person, 'Resolve').click();
    await page.getByText('Resolved at', { exact: true }).waitFor();
  });

  it('publishes, edits and deletes an update for customers', async () => {
    const person = await openIncidents();
    const { page, admin, complaints } = person;
    const groups = [{ name: 'Shop', components: [{ name: 'Checkout' }] }];
    const statusPage = { slug: `shop-${Date.now()}`, title: 'Acme status', groups };
    const made = got(await admin.post('/v1/status-pages', statusPage), 201);
    const { id } = got(await admin.post('/v1/incidents', { title: 'Payments are slow', impact: 'degraded' }), 201);
    await arrive(person, `/incidents/${id}`);
    const section = page.locator('section', { has: page.getByRole('heading', { level: 2, name: 'Public updates' }) });
    await section.getByText('No public updates.').waitFor();
    await button(person, 'Publish update').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Status/).selectOption('resolved');
    await dialog.getByLabel(/^Message/).fill('Payments work again.\nThanks for your patience.');
    const submit = dialog.getByRole('button', { name: 'Publish update' });
    await submit.click();
    await dialog.locator('.field', { hasText: 'Notify subscribers' }).locator('.field-error').waitFor();
    await dialog.getByLabel(/^Notify subscribers/).selectOption('no');
    await dialog.getByLabel('Checkout (Acme status)').check();
    await submit.click();
    await section.getByText('Payments work again.').waitFor();
    await page.getByText('Resolved at', { exact: true }).waitFor();
    const [update] = got(await admin.get(`/v1/incidents/${id}/updates`), 200);
    expect(update.message).toBe('Payments work again.\nThanks for your patience.');
    const { component_ids } = got(await admin.get(`/v1/incidents/${id}`), 200);
    expect(component_ids).toEqual([made.groups[0].components[0].id]);

    await section.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel(/^Message/).fill('Payments work again since 10:40 UTC.');
    await dialog.getByRole('button', { name: 'Save update' }).click();
    await section.getByText('since 10:40 UTC').waitFor();
    await section.getByText('edited').waitFor();
    await section.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete update' }).click();
    await section.getByText('No public updates.').waitFor();
    expect(complaints.filter((one) => !/400/.test(one))).toEqual([]);
  });

  atNight('is accessible, also on a phone', async () => {
    const person = await openIncidents();
    const { page, rows, incident } = person;
    await rows.nth(1).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const isWider = () => page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect(await isWider()).toBe(false);
    await arrive(person, `/incidents/${incident}`);
    await page.getByText('card declined').waitFor();
    expect(await isWider()).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
  });
});
