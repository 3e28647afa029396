import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { addToMap, button, enterDuration, expectDisabled, pollNow, waitForMessage } from './person.ts';
import { personAt } from './places.ts';

const NAME = `<script>alert(1)</script> متجر 🛰 ${'long '.repeat(30)}`.trim();

describe.skipIf(!binary)('checks page in a browser', () => {
  const world = browserAndService();
  const target = receiving();

  /** Opens the page with three checks: one up, one down without a channel, one disabled. */
  async function openChecks({ readOnly = false } = {}) {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const entity = got(await admin.post('/v1/blueprints/service/entities', { slug: 'web', name: 'Web shop' }), 201);
    const make = async (more: object) =>
      got(await admin.post('/v1/checks', { entity_id: entity.id, failure_threshold: 1, ...more }), 201).id as string;
    const target_url = `${target().url}/health`;
    const probed = await make({ check_type: 'http', name: 'home page', target_url, interval_seconds: 86_400 });
    const pushed = await make({ check_type: 'push', name: 'backup', interval_seconds: 3600 });
    const off = await make({ check_type: 'push', name: NAME, enabled: false });
    got(
      await admin.post(`/v1/checks/${probed}/policy/channels`, {
        channel_type: 'slack',
        config: { url: `${target().url}/slack` },
      }),
      201,
    );
    const failed = { success: false, latency_ms: 5, error_message: 'disk is full' };
    got(await admin.post(`/v1/checks/${pushed}/results`, failed), 201);
    await eventually(async () => (await admin.get(`/v1/checks/${probed}`)).body.state === 'up');
    const key = readOnly
      ? got(await admin.post('/v1/auth/keys', { label: 'look', is_read_only: true }), 201).key
      : admin.key;
    const person = await personAt(world.browser, world.url, key, '/checks');
    const rows = person.page.getByRole('table', { name: 'Checks' }).locator('tbody tr');
    await rows.first().waitFor();
    return { ...person, admin, rows, checks: { probed, pushed, off }, entity };
  }

  it('lists checks that are down first, with the error, and shows names as text', async () => {
    const { page, rows, complaints } = await openChecks();
    const texts = await rows.allTextContents();
    expect(texts[0]).toMatch(/Down.*backup.*disk is full.*Web shop.*Push results.*1 h.*failed/s);
    expect(texts[1]).toMatch(/Up.*home page.*HTTP request.*1 d.*\d+ ms/s);
    expect(texts[2]).toMatch(/Disabled/);
    expect(await page.getByRole('link', { name: NAME, exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('filters checks and keeps the filters in the address', async () => {
    const { page, rows } = await openChecks();
    await page.getByLabel('Channels').selectOption('none');
    await eventually(async () => (await rows.count()) === 2 && page.url().endsWith('?channel=none'));
    await page.getByLabel('Enabled').selectOption('yes');
    await eventually(async () => (await rows.count()) === 1);
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual([expect.stringContaining('backup')]);
    await page.evaluate(`location.hash = '#/checks?type=http'`);
    await eventually(async () => /home page/.test((await rows.first().textContent()) ?? ''));
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('button', { name: 'Show all' }).click();
    await eventually(async () => (await rows.count()) === 3 && page.url().endsWith('#/checks'));
  });

  it('shows the first pages while the rest is loading', async () => {
    const { page, rows } = await openChecks();
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    await page.route('**/v1/checks?*last_result=true*', async (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.has('cursor')) await released;
      else url.searchParams.set('limit', '2');
      await route.continue({ url: url.href });
    });
    await page.reload();
    await page.getByText('Showing the first 2 checks. Loading the rest.').waitFor();
    expect(await rows.count()).toBe(2);
    release();
    await eventually(async () => (await rows.count()) === 3);
  });

  it('updates states without a reload', async () => {
    const { page, admin, rows, checks } = await openChecks();
    got(await admin.post(`/v1/checks/${checks.pushed}/results`, { success: true, latency_ms: 5 }), 201);
    await pollNow({ page });
    await eventually(async () => /Up.*backup/s.test((await rows.first().textContent()) ?? ''));
  });

  it('changes several checks, and keeps failed ones selected', async () => {
    const person = await openChecks();
    const { page, admin, checks } = person;
    await page.getByLabel('Select all').check();
    await button(person, 'Silence').click();
    await waitForMessage(person, /Silence: 3 checks/);
    expect((await admin.get(`/v1/checks/${checks.pushed}/policy`)).body.silenced).toBe(true);

    await page.getByLabel('Select all').check();
    await button(person, 'Interval').click();
    await enterDuration(page, 'Interval', '100000', 's');
    await button(person, 'Change').click();
    const dialog = page.getByRole('dialog', { name: '1 of 3 failed' });
    await dialog.getByText(/home page.*86,?400/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('1 check selected').waitFor();
    expect((await admin.get(`/v1/checks/${checks.pushed}`)).body.interval_seconds).toBe(100_000);

    await button(person, 'Delete').click();
    await page
      .getByRole('dialog')
      .getByText(/results, history, policies and channels/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await waitForMessage(person, /Delete: 1 check/);
    expect((await admin.get(`/v1/checks/${checks.probed}`)).status).toBe(404);
  });

  it('labels several checks, and filters by labels of checks and entities', async () => {
    const person = await openChecks();
    const { page, admin, rows, checks } = person;
    got(await admin.put('/v1/blueprints/service/entities/web', { labels: { team: 'payments' } }), 200);
    got(await admin.put(`/v1/checks/${checks.off}`, { labels: { team: 'ops', old: 'x' } }), 200);
    await page.getByLabel('Select all').check();
    await button(person, 'Label').click();
    const dialog = page.getByRole('dialog', { name: 'Label the selected items' });
    await addToMap(dialog, 'Labels to set', 'tier', '1');
    await dialog.getByLabel(/^Labels to remove/).fill('old');
    await dialog.getByRole('button', { name: 'Change' }).click();
    await waitForMessage(person, /Label: 3 checks/);
    expect((await admin.get(`/v1/checks/${checks.off}`)).body.labels).toEqual({ team: 'ops', tier: '1' });

    await page.getByLabel('Label', { exact: true }).selectOption('team:payments');
    await eventually(async () => (await rows.count()) === 2 && page.url().endsWith('?label=team%3Apayments'));
    await page.getByRole('link', { name: 'home page' }).click();
    await page.getByRole('link', { name: 'tier: 1' }).click();
    await eventually(async () => (await rows.count()) === 3);
  });

  it('adds a channel to several checks', async () => {
    const person = await openChecks();
    const { page, admin, checks } = person;
    await page.getByLabel('Select all').check();
    await button(person, 'Add channel').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').selectOption('slack');
    await dialog.getByLabel(/^URL/).fill(`${target().url}/all`);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await waitForMessage(person, /Add channel: 3 checks/);
    for (const [id, count] of [
      [checks.probed, 2],
      [checks.pushed, 1],
    ] as const) {
      expect((await admin.get(`/v1/checks/${id}/policy`)).body.channels).toHaveLength(count);
    }
  });

  it('disables changes for a read-only key, with the reason', async () => {
    const person = await openChecks({ readOnly: true });
    await expectDisabled(person, 'New check', /read-only/);
    await person.page.getByLabel('Select all').check();
    await expectDisabled(person, 'Delete', /read-only/);
    await person.page.evaluate(`location.hash = '#/checks/new'`);
    await person.page.getByText('Access denied').waitFor();
  });

  atNight('is accessible in both themes, and fits a phone', async () => {
    const { page, rows } = await openChecks();
    await page.getByLabel('Select all').check();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const place of ['/checks', '/checks/new', '/checks/new?type=tcp', '/checks/new?type=push']) {
      await page.evaluate(`location.hash = '#${place}'`);
      await (place === '/checks' ? rows.first() : page.getByLabel(/^Type/)).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});
