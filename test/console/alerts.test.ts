import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { report, slackChannel, watchedEntity } from './incident-world.ts';
import { addToMap, button, enterDuration, pollNow, unfold } from './person.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('alerts page in a browser', () => {
  const world = browserAndService();
  let receiver: WebhookReceiver;
  let failing: WebhookReceiver;
  let alerted: Awaited<ReturnType<typeof alertedShop>>;
  beforeAll(async () => {
    receiver = await startReceiver({ host: '127.77.0.1' });
    failing = await startReceiver({ host: '127.77.0.2' });
    failing.behave({ status: 404 });
    alerted = await alertedShop();
  });
  afterAll(async () => {
    await receiver?.close();
    await failing?.close();
  });

  /** Creates four checks: one with a failing channel, one with a working channel, two without a channel. */
  async function alertedShop() {
    const admin = await newTenant();
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout', 'login', 'search', 'basket']);
    const [checkout, login] = shop.checks as [string, string];
    await slackChannel(admin, checkout, `${failing.url}/hook`);
    await slackChannel(admin, login, `${receiver.url}/taken`);
    await report(admin, checkout, 'card declined');
    await report(admin, login, 'no session');
    await eventually(async () => {
      const { body } = await admin.get('/v1/notify/logs');
      return body.length === 2 && body.every(({ status }: { status: string }) => /sent|failed/.test(status));
    }, 15_000);
    const readOnlyKey = got(await admin.post('/v1/auth/keys', { label: 'look', is_read_only: true }), 201)
      .key as string;
    return { admin, shop, checkout, login, readOnlyKey };
  }

  /** Opens the alerts page, or another place, with the key of the shop. */
  async function openAlerts({ place = '/alerts', readOnly = false } = {}) {
    const person = await personAt(world.browser, world.url, readOnly ? alerted.readOnlyKey : alerted.admin.key, place);
    const rowsOf = (name: string) => person.page.getByRole('table', { name, exact: true }).locator('tbody tr');
    return { ...person, ...alerted, rowsOf };
  }

  it('lists failed deliveries first, with attempts, error, and a link to the incident', async () => {
    const { page, rowsOf, complaints } = await openAlerts();
    const rows = rowsOf('Deliveries');
    await rows.nth(1).waitFor();
    const failed = /Failed.*Up → Down.*Web shop: checkout.*404.*Alert.*Slack 127\.77\.0\.2.*3/s;
    await eventually(async () => failed.test((await rows.first().textContent()) ?? ''));
    expect(await rows.nth(1).textContent()).toMatch(/Sent.*Web shop: login/s);
    await rows.first().getByRole('link', { name: 'Alert' }).click();
    await page.getByRole('link', { name: 'Web shop is down' }).click();
    await page.getByText('card declined').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows what a delivery reports, in the color of the new state, and the name of the channel', async () => {
    const admin = await newTenant();
    const { checks } = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const config = { url: `${receiver.url}/named` };
    got(await admin.post('/v1/notify/channels', { name: 'On call', channel_type: 'slack', config }), 201);
    await report(admin, checks[0]!, 'card declined');
    await report(admin, checks[0]!, true);
    await eventually(async () => (await admin.get('/v1/notify/logs')).body.length === 2);
    const { page } = await personAt(world.browser, world.url, admin.key, '/alerts');
    const rowOf = (change: string) =>
      page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').filter({ hasText: change });
    await rowOf('Down → Up').locator('.state.up').first().waitFor({ state: 'attached' });
    await rowOf('Up → Down').locator('.state.down').first().waitFor({ state: 'attached' });
    await rowOf('Up → Down').filter({ hasText: 'Slack On call' }).waitFor();
    expect(await rowOf('Up → Down').locator('.state.up').count()).toBe(0);
  });

  it('lists silences of the account, entities and checks, and ends each', async () => {
    const admin = await newTenant();
    const { checks } = await watchedEntity(admin, 'web', 'Web shop', ['checkout', 'login']);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    got(await admin.post(`/v1/checks/${checks[0]}/policy`, { silenced_until: until, silence_reason: 'a disk' }), 200);
    got(await admin.put('/v1/blueprints/shop/entities/web', { silenced: true, silence_reason: 'a move' }), 200);
    got(await admin.post('/v1/notify/silences', { applies_to: null, until, reason: 'an upgrade' }), 201);
    const person = await personAt(world.browser, world.url, admin.key, '/alerts/silences');
    const rows = person.page.getByRole('table', { name: 'Silences' }).locator('tbody tr');
    await rows.filter({ hasText: /Web shop: checkout.*a disk/s }).waitFor();
    await rows.filter({ hasText: /All checks of Web shop.*a move.*until lifted/s }).waitFor();
    for (let left = 3; left > 0; left--) {
      expect(await rows.count()).toBe(left);
      await rows.first().getByRole('button', { name: 'End' }).click();
      await button(person, 'End silence').click();
      await eventually(async () => (await rows.count()) === left - 1);
    }
    expect((await admin.get(`/v1/checks/${checks[0]}/policy`)).body.silenced).toBe(false);
    expect((await admin.get('/v1/blueprints/shop/entities/web')).body.silenced).toBe(false);
  });

  it('filters deliveries by status, check and channel, and keeps the filters in the address', async () => {
    const person = await openAlerts();
    const { page, rowsOf, login } = person;
    const rows = rowsOf('Deliveries');
    await rows.nth(1).waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await eventually(async () => (await rows.count()) === 1);
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Check').selectOption({ label: 'Web shop: login' });
    await page.getByText('No matching deliveries').waitFor();
    expect(page.url()).toContain(`check=${login}`);
    await button(person, 'Show all').click();
    await eventually(async () => (await rows.count()) === 2);
    await page.getByLabel('Channel').selectOption({ index: 1 });
    await eventually(async () => (await rows.count()) === 1);
  });

  atNight('is accessible, also on a phone', async () => {
    const { page, rowsOf } = await openAlerts();
    for (const [show, table] of [
      ['deliveries', 'Deliveries'],
      ['channels', 'Channels'],
      ['no-channel', 'Checks without a channel'],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(`location.hash = '#/alerts/${show}'`);
      await rowsOf(table).nth(1).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      const [wide, seenWidth] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number];
      expect(`${show}: ${wide}`).toBe(`${show}: ${seenWidth}`);
    }
  });

  it('disables buttons for a read-only key, with the reason', async () => {
    const { page, rowsOf } = await openAlerts({ place: '/alerts/channels', readOnly: true });
    await rowsOf('Channels').nth(1).waitFor();
    const test = page.getByRole('button', { name: 'Send test' }).first();
    expect(await test.getAttribute('aria-disabled')).toBe('true');
    expect(await test.getAttribute('title')).toMatch(/read-only/);
    expect(await page.content()).not.toContain('/taken');
  });

  it('updates deliveries without a reload', async () => {
    const { page, admin, login, rowsOf } = await openAlerts();
    const rows = rowsOf('Deliveries');
    await rows.nth(1).waitFor();
    await report(admin, login, true);
    await pollNow({ page });
    await eventually(async () => (await rows.count()) === 3, 15_000);
    await eventually(async () => (await rows.filter({ hasText: 'Sent' }).count()) === 2, 15_000);
  });

  it('shows the last delivery of each channel, and tests a channel', async () => {
    const person = await openAlerts({ place: '/alerts/channels' });
    const { rowsOf } = person;
    const rows = rowsOf('Channels');
    await rows.nth(1).waitFor();
    const good = rows.filter({ hasText: 'login' });
    expect(await good.textContent()).toMatch(/Web shop: login.*Slack 127\.77\.0\.1:\d+.*Sent/s);
    const before = receiver.received.filter(({ path }) => path === '/taken').length;
    await good.getByRole('button', { name: 'Send test' }).click();
    const dialog = person.page.getByRole('dialog');
    await dialog.getByText('Sent').waitFor();
    expect(await dialog.textContent()).toMatch(/Test of Slack 127\.77\.0\.1:\d+.*Web shop: login is down/s);
    await button(person, 'Close').click();
    expect(receiver.received.filter(({ path }) => path === '/taken')).toHaveLength(before + 1);
    await rows.filter({ hasText: 'checkout' }).getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Failed').waitFor();
    expect(await dialog.textContent()).toMatch(/127\.77\.0\.2:\d+.*404/s);
  });

  it('shows the whole error of a failed test', async () => {
    const admin = await newTenant();
    const { checks } = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    await slackChannel(admin, checks[0]!, 'http://127.77.0.9:9/hook');
    const person = await personAt(world.browser, world.url, admin.key, '/alerts/channels');
    await button(person, 'Send test').click();
    const dialog = person.page.getByRole('dialog');
    await dialog.getByText('Preview of an alert').waitFor();
    for (const part of [dialog, dialog.locator('pre'), dialog.locator('.alert-error')]) {
      const hidden = await part.evaluate(
        (shown: { scrollWidth: number; clientWidth: number }) => shown.scrollWidth - shown.clientWidth,
      );
      expect(hidden).toBe(0);
    }
  });

  it('lists checks without a channel, and adds a channel to several', async () => {
    const person = await openAlerts({ place: '/alerts/no-channel' });
    const { page, admin, shop, rowsOf } = person;
    const rows = rowsOf('Checks without a channel');
    await rows.nth(1).waitFor();
    await page.getByRole('link', { name: 'Checks without a channel (2)' }).waitFor();
    await page.getByLabel('Select all').check();
    await button(person, 'Add channel').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').selectOption('slack');
    await dialog.getByLabel(/^URL/).fill('nonsense');
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await dialog.getByRole('heading', { name: '2 of 2 failed' }).waitFor();
    expect(await dialog.textContent()).toMatch(/Web shop: search.*Web shop: basket/s);
    await button(person, 'Close').click();
    await button(person, 'Add channel').click();
    await dialog.getByLabel('Type').selectOption('slack');
    await dialog.getByLabel(/^URL/).fill(`${receiver.url}/many`);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await page.getByText('Every check has a channel').waitFor();
    for (const id of shop.checks.slice(2)) {
      expect((await admin.get(`/v1/checks/${id}/policy`)).body.channels).toMatchObject([{ channel_type: 'slack' }]);
    }
  });

  it('shows which addresses of a channel are not confirmed, and sends a confirmation again', async () => {
    const admin = await newTenant();
    const config = { to: 'oncall@example.com' };
    got(await admin.post('/v1/notify/channels', { name: 'Mail', channel_type: 'email', config }), 201);
    const { page, complaints } = await personAt(world.browser, world.url, admin.key, '/alerts/channels');
    const row = page.getByRole('table', { name: 'Channels' }).locator('tbody tr');
    await row.getByText('not confirmed').waitFor();
    await row.getByRole('button', { name: 'Send confirmation to oncall@example.com again' }).click();
    await page.getByText('oncall@example.com gets a mail with a link to confirm.').waitFor();
    expect(got(await admin.get('/v1/audit?action=address.ask'), 200)).toHaveLength(1);
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('edits account channels, silences and the default policy in forms', async () => {
    const person = await openAlerts({ place: '/alerts/channels' });
    const { page, admin, rowsOf } = person;
    const dialog = page.getByRole('dialog');
    await button(person, 'New account channel').click();
    await dialog.getByLabel(/^Name/).fill('On call');
    await dialog.getByLabel(/^URL/).fill(`${receiver.url}/account`);
    await unfold(dialog, 'Applies to');
    await addToMap(dialog, 'Labels', 'team', 'payments, shop');
    await enterDuration(dialog, 'Group', '20', 's');
    await dialog.getByLabel('down', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    const row = rowsOf('Channels').filter({ hasText: 'On call' });
    await row.getByText('label team=payments or shop; only down').waitFor();
    await row.getByRole('button', { name: /^Edit/ }).click();
    await unfold(dialog, 'Applies to');
    await dialog.getByRole('group', { name: 'Labels' }).getByRole('button', { name: 'Remove 1' }).click();
    await dialog.getByRole('combobox', { name: 'Add check' }).fill('web login');
    await page.getByRole('option', { name: /login/ }).click();
    await button(person, 'Save channel').click();
    await row.getByText('of 1 check; only down').waitFor();
    const channels = (await admin.get('/v1/notify/channels')).body;
    const [login] = (await admin.get('/v1/checks?q=login')).body;
    expect(channels[0].applies_to).toEqual({ check_ids: [login.id], states: ['down'] });
    expect(channels[0].group_seconds).toBe(20);

    await admin.post(`/v1/notify/channels/${channels[0].id}/test`);
    await page.evaluate(`location.hash = '#/alerts/deliveries'`);
    await rowsOf('Deliveries')
      .filter({ hasText: /Account channel.*On call/s })
      .waitFor();

    await page.evaluate(`location.hash = '#/alerts/silences'`);
    await button(person, 'New silence').click();
    await dialog.getByRole('combobox', { name: 'Add entity' }).fill('Web');
    await page.getByRole('option', { name: /Web shop/ }).click();
    await dialog.getByLabel(/^Reason/).fill('a move');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await rowsOf('Silences')
      .filter({ hasText: /Web shop.*a move/s })
      .waitFor();
    expect((await admin.get('/v1/notify/silences')).body).toMatchObject([{ reason: 'a move' }]);
    await button(person, 'End').click();
    await button(person, 'End silence').click();
    await page.getByText('No active silences').waitFor();

    await page.evaluate(`location.hash = '#/alerts/defaults'`);
    await button(person, 'Change defaults').click();
    await enterDuration(page, 'Cooldown', '60', 's');
    await button(person, 'Save defaults').click();
    await rowsOf('Settings of the policy')
      .filter({ hasText: /Cooldown.*1 min.*reset/s })
      .waitFor();
    expect((await admin.get('/v1/notify/policy')).body.inherited).not.toContain('cooldown_seconds');
  });
});
