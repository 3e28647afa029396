import { describe, expect, it } from 'vitest';
import { barriers } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { report, slackChannel, watchedEntity } from './incident-world.ts';
import { button, lookNow } from './person.ts';
import { personAt } from './places.ts';
import { receiving } from './receiving.ts';

describe.skipIf(!binary)('incidents, in a real browser', () => {
  const world = browserAndService();
  const receiver = receiving();

  /** The web shop is down and a channel knows, an action was fired; mail was down, and nobody was told. */
  async function onCall(place = '/incidents') {
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
    await report(admin, smtp, 'mailbox full');
    await report(admin, smtp, true);
    await report(admin, checkout, 'card declined');
    const person = await personAt(world.browser, world.url, admin.key, place);
    const rows = person.page.getByRole('table', { name: 'Incidents' }).locator('tbody tr');
    const textOf = async (row: number) => (await rows.nth(row).textContent()) ?? '';
    return { ...person, admin, mail, shop, smtp, checkout, login, rows, textOf };
  }

  it('show what is wrong now first, since when, why, and whether anybody was told', async () => {
    const { rows, textOf, complaints } = await onCall();
    await rows.nth(1).waitFor();
    expect(await textOf(0)).toMatch(/Degraded.*Web shop.*card declined.*1 check.*1 alert/s);
    expect(await textOf(1)).toMatch(/Over.*Mail.*mailbox full.*nobody: no channel/s);
    expect(await rows.count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('have everything that happened on a page of their own, which follows to the end', async () => {
    const { page, admin, checkout, login, complaints } = await onCall();
    await page.getByRole('link', { name: 'Web shop' }).click();
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    await page.getByText(/Announced\. Taken by Slack/).waitFor();
    const ran = page.locator('section', { hasText: 'What ran because of it' });
    await eventually(async () => {
      await page.reload();
      await page.getByText('First error').waitFor();
      return (await ran.getByRole('link', { name: 'Restart the shop' }).count()) === 1;
    });
    await report(admin, login, 'no session');
    await lookNow({ page });
    await page.getByText('no session').waitFor();
    const failed = page.locator('section', { hasText: 'Checks that failed' });
    expect(await failed.getByRole('link').allTextContents()).toEqual(['checkout', 'login']);
    await report(admin, checkout, true);
    await report(admin, login, true);
    await page.getByText('Ended', { exact: true }).waitFor();
    expect(await page.locator('.incident-facts').textContent()).toMatch(/Over.*it was down.*card declined/s);
    expect(await page.locator('.alert-card').count()).toBe(4);
    await page.getByRole('link', { name: 'shop/web' }).waitFor();
    await page.getByRole('link', { name: 'checkout' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'checkout' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('are there by themselves, and over by themselves', async () => {
    const { page, admin, smtp, checkout, rows, textOf } = await onCall();
    await rows.nth(1).waitFor();
    await report(admin, checkout, true);
    await lookNow({ page });
    await eventually(async () => /Over.*Web shop/s.test(await textOf(0)), 15_000);
    await report(admin, smtp, 'mailbox full');
    await lookNow({ page });
    await eventually(async () => /Down.*Mail.*flapping, 2 times/s.test(await textOf(0)), 15_000);
    expect(await rows.count()).toBe(2);
  });

  it('are filtered by state, entity and time, and the address says by what', async () => {
    const person = await onCall();
    const { page, rows, textOf, mail } = person;
    await page.getByLabel('State').selectOption('over');
    await eventually(async () => (await rows.count()) === 1 && /Mail/.test(await textOf(0)));
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByText('By time').click();
    await page.getByLabel(/^Since/).fill('2999-01-01T00:00');
    await page.getByText('No incident fits').waitFor();
    await button(person, 'Show all').click();
    await eventually(async () => (await rows.count()) === 2);
    await page.getByRole('combobox', { name: 'Entity' }).fill('mai');
    await page.keyboard.press('Enter');
    await eventually(async () => (await rows.count()) === 1 && /Mail/.test(await textOf(0)));
    expect(page.url()).toContain(`entity=${mail.id}`);
    await page.getByText('By time').click();
    await page.getByLabel(/^Before/).fill('2001-01-01T00:00');
    await page.getByText('No incident fits').waitFor();
  });

  it('that are long ago are read when one asks for them', async () => {
    const person = await onCall('/settings/look');
    const { page, admin, smtp, rows } = person;
    for (let i = 0; i < 55; i++) {
      await report(admin, smtp, 'mailbox full');
      await report(admin, smtp, true);
    }
    await page.evaluate(`location.hash = '#/incidents'`);
    await rows.nth(1).waitFor();
    const flaps = async () => Number(/flapping, (\d+) times/.exec((await rows.allTextContents()).join())?.[1]);
    expect(await flaps()).toBeLessThan(56);
    await button(person, 'Older incidents').click();
    await eventually(async () => (await flaps()) === 56);
  });

  it('say so where there is none', async () => {
    const { page, shop } = await onCall(`/incidents/ent_none/${new Date().toISOString()}`);
    await page.locator('.failure, .empty').first().waitFor();
    await page.evaluate(`location.hash = '#/incidents/${shop.id}/nonsense'`);
    await page.getByText('There is no such incident').waitFor();
    await page.evaluate(`location.hash = '#/incidents/${shop.id}/2001-01-01T00:00:00.000Z'`);
    await page.getByText('There is no such incident').waitFor();
  });

  it('can be read by everybody, on a phone as well', async () => {
    const { page, rows } = await onCall();
    await rows.nth(1).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const isWider = () => page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect(await isWider()).toBe(false);
    await page.getByRole('link', { name: 'Web shop' }).click();
    await page.getByText(/Announced/).waitFor();
    expect(await isWider()).toBe(false);
    expect(await barriers(page)).toEqual([]);
  });
});
