import { describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { startRealService } from '#test/support/real-service.ts';
import { atNight } from './at-night.ts';
import { browserAndService, inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { signInByKey, waitForPage } from './person.ts';
import { personAt } from './places.ts';

const NAMES = ['Web shop', '<script>alert(1)</script>', 'متجر الويب', `${'long '.repeat(39)}name`, '𝒲ide 🛰 name'];

/** Creates entities with a push check each. @returns the ids of the checks, in the order of `names` */
async function fleetOf(admin: Client, names: readonly string[]): Promise<string[]> {
  await admin.post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
  const checks: string[] = [];
  for (const [i, name] of names.entries()) {
    const entity = await admin.post('/v1/blueprints/service/entities', { slug: `entity-${i}`, name });
    const check = await admin.post('/v1/checks', {
      entity_id: entity.body.id,
      check_type: 'push',
      interval_seconds: 3600,
      failure_threshold: 1,
    });
    checks.push(check.body.id);
  }
  return checks;
}

async function report(admin: Client, check: string, success: boolean): Promise<void> {
  const result = { success, latency_ms: 5, status_code: 0, ...(!success && { error_message: 'disk is full' }) };
  expect(await admin.post(`/v1/checks/${check}/results`, result)).toMatchObject({ status: 201 });
}

describe.skipIf(!binary)('fleet page in a browser', () => {
  const world = browserAndService();

  /** Opens the fleet page of a new account. */
  async function openFleet() {
    const admin = await newTenant();
    const checks = await fleetOf(admin, NAMES);
    await report(admin, checks[0]!, false);
    await report(admin, checks[1]!, true);
    const person = await personAt(world.browser, world.url, admin.key);
    const rows = person.page.getByRole('table', { name: 'Entities' }).locator('tbody tr');
    await rows.first().waitFor();
    return { ...person, admin, checks, rows };
  }

  it('lists down entities first, with the error, and shows names as text', async () => {
    const { page, rows, complaints } = await openFleet();
    await eventually(async () => /Web shop/.test((await rows.first().textContent()) ?? ''));
    expect(await rows.first().textContent()).toMatch(/Down/);
    expect(await rows.first().textContent()).toMatch(/disk is full/);
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor({ timeout: 30_000 });
    expect(await rows.count()).toBe(2);
    const notRun = page.getByRole('table', { name: 'Entities not run yet' }).locator('tbody tr');
    expect(await notRun.count()).toBe(0);
    await page.getByRole('button', { name: '3 entities not run yet' }).click();
    expect(await notRun.count()).toBe(3);
    for (const name of NAMES) expect(await page.getByRole('link', { name, exact: true }).count()).toBe(1);
    await eventually(async () => (await page.title()) === '(1 down) Fleet · Fleetwatch');
    expect(complaints).toEqual([]);
  });

  it('updates within the poll interval', async () => {
    const { admin, checks, rows } = await openFleet();
    await report(admin, checks[0]!, true);
    await report(admin, checks[1]!, false);
    await eventually(async () => /Down.*<script>/s.test((await rows.first().textContent()) ?? ''));
  });

  it('reads the last 24 hours of all visible rows together and only once, and not on a phone', async () => {
    const { page, rows } = await openFleet();
    const requests: string[] = [];
    const months: string[] = [];
    await page.setViewportSize({ width: 390, height: 844 });
    // Requests of the previous page do not count.
    await page.reload({ waitUntil: 'commit' });
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname !== '/v1/history') return;
      if (searchParams.get('bucket') === 'day') return void months.push(searchParams.get('entity_ids')!);
      const count = searchParams.get('entity_ids')!.split(',').length;
      requests.push(`${count} ${searchParams.has('to') ? 'rolled up' : 'recent'}`);
    });
    await rows.first().waitFor();
    expect(requests).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    const bars = page.getByRole('img', { name: /^Last 24 h: / });
    const barsAreShown = () => eventually(async () => (await bars.count()) === 2, 30_000);
    await barsAreShown();
    // The second request reads the latest hours, in which the states of the new entities changed.
    const expected = ['2 rolled up', '2 recent'];
    await eventually(() => requests.length === expected.length, 30_000);
    await rows.first().locator('.row-bar').getByText('0 %', { exact: true }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await rows.nth(1).getByRole('img', { name: 'Latency, last 24 h: 5 to 5 ms, last 5 ms' }).waitFor();
    await rows.nth(1).getByRole('cell', { name: '100 %', exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/settings/look'`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.evaluate(`location.hash = '#/'`);
    await barsAreShown();
    expect(requests).toEqual(expected);
    expect(months.map((ids) => ids.split(',').length)).toEqual([2]);
  });

  it('searches and filters, and keeps both in the address', async () => {
    const { page, rows } = await openFleet();
    await page.keyboard.press('/');
    await page.keyboard.type('shop');
    await eventually(async () => (await rows.count()) === 1);
    await eventually(async () => page.url().endsWith('#/?q=shop'));
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: /Up/ }).click();
    await eventually(async () => (await rows.allTextContents()).every((text) => text.includes('Up')));
    await page.reload();
    await rows.first().waitFor();
    expect(await page.getByRole('button', { name: /Up/ }).getAttribute('aria-pressed')).toBe('true');
  });

  it('opens an entity and another page with the keyboard', async () => {
    const { page } = await openFleet();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await eventually(async () => page.url().endsWith('#/entities/service/entity-0'));
    await page.getByRole('heading', { name: 'Web shop', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Jump to' }).waitFor();
    await page.keyboard.type('settings');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await eventually(() => page.evaluate(`document.activeElement?.tagName === 'H1'`));
  });

  it.each([
    ['monitor', /^Monitor a URL/, 'Monitor a URL'],
    ['website', /^Monitor a URL/, 'Monitor a URL'],
    ['silence', /^New silence/, 'New silence'],
    ['new window', /^New maintenance window/, 'New maintenance window'],
    ['new channel', /^New channel/, 'New account channel'],
    ['incident', /^New incident/, 'New incident'],
    ['new action', /^New action/, 'New action'],
    ['new entity', /^New entity/, /^New entity of /],
  ])('opens the dialog for "%s" from the palette, and Back closes it', async (words, name, title) => {
    const { page } = await openFleet();
    const dialog = page.getByRole('dialog', { name: title, exact: typeof title === 'string' });
    await page.getByRole('button', { name: /^Jump to/ }).click();
    await page.keyboard.type(words);
    await page.getByRole('option', { name }).click();
    await dialog.waitFor();
    await eventually(() =>
      page.evaluate(`document.activeElement?.matches('dialog[open] :is(input, select, textarea)')`),
    );
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    await page.goForward();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await eventually(async () => !page.url().includes('new='));
  });

  it.each([
    ['new check', /^New check/, '#/checks/new', undefined],
    ['channels', /^Channels/, '#/alerts/channels', undefined],
    ['new key', /^New API key/, '#/settings/keys?new=key', undefined],
    ['passkey', /^New passkey/, '#/settings/sign-in?new=passkey', undefined],
    ['invite', /^Invite a member/, '#/settings/team?new=member', 'E-mail address'],
  ])('finds the command for "%s" in the palette', async (words, name, address, field) => {
    const { page } = await openFleet();
    await page.getByRole('button', { name: /^Jump to/ }).click();
    await page.keyboard.type(words);
    await page.getByRole('option', { name }).click();
    await eventually(async () => page.url().endsWith(address));
    if (field) {
      const isFocused = (element: unknown) =>
        element === (element as { ownerDocument: Document }).ownerDocument.activeElement;
      await eventually(() => page.getByLabel(new RegExp(`^${field}`)).evaluate(isFocused));
    }
  });

  for (const width of [390, 768, 1280, 2560]) {
    atNight(`fits a window of ${width} pixels`, async () => {
      const { page } = await openFleet();
      await page.setViewportSize({ width, height: 844 });
      for (const place of ['/', '/?group=blueprint', '/?tv', '/settings/look', '/settings/sign-in', '/no/such/page']) {
        await page.evaluate(`location.hash = '#${place}'`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const [wide, seenWidth] = (await page.evaluate(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        )) as [number, number];
        expect(`${place}: ${wide}`).toBe(`${place}: ${seenWidth}`);
      }
    });
  }

  it('shows the error of a long failure after many newer transitions, also on the page of the entity', async () => {
    const admin = await newTenant();
    const [down, busy] = (await fleetOf(admin, ['Database', 'Busy'])) as [string, string];
    await report(admin, down, false);
    for (let i = 0; i < 110; i++) await report(admin, busy, i % 2 === 0);
    await report(admin, busy, true);
    const { page } = await personAt(world.browser, world.url, admin.key);
    const row = page.getByRole('table', { name: 'Entities' }).locator('tbody tr', { hasText: 'Database' });
    await row.getByText('disk is full').waitFor();
    await page.evaluate(`location.hash = '#/?tv'`);
    await page.locator('.wall-troubles').getByText('disk is full').waitFor();
    await page.evaluate(`location.hash = '#/entities/service/entity-0'`);
    await page.locator('.state-line').getByText('disk is full').waitFor();
  });

  it('leaves the wall view without an error', async () => {
    const { page, complaints } = await openFleet();
    for (const place of ['/checks', '/', '/incidents']) {
      await page.evaluate(`location.hash = '#/?tv'`);
      await page.locator('.wall .tiles canvas').waitFor();
      await page.evaluate(`location.hash = '#${place}'`);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      // A resize is reported after the next frame.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    expect(complaints).toEqual([]);
  });

  it('shows the sign-in when the session ends elsewhere, and then returns to the page', async () => {
    const person = await openFleet();
    await person.page.evaluate(`location.hash = '#/settings/sign-in'`);
    await person.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await person.page.evaluate(`fetch('/v1/session', { method: 'DELETE', headers: { 'x-fleetwatch': 'console' } })`);
    await waitForPage(person, 'sign-in');
    await signInByKey(person, person.admin.key);
    await person.page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });
});

describe.skipIf(!binary)('fleet page during a service outage', () => {
  const world = inBrowser();

  it('shows Offline and recovers without a reload', async () => {
    await using service = await startRealService();
    await fleetOf(service.client, ['Web shop']);
    const person = await personAt(world.browser, service.url, service.client.key);
    await person.page.getByRole('link', { name: 'Web shop' }).waitFor();
    const cssFilterOf = (part: string) => `getComputedStyle(document.querySelector('${part}')).filter`;
    expect(await person.page.evaluate(cssFilterOf('.state-filter'))).toBe('none');
    await service.kill();
    const offline = person.page.getByText('Offline');
    // Polls become rarer after failures; an online event polls at once.
    await eventually(async () => {
      await person.page.evaluate(`dispatchEvent(new Event('online'))`);
      return offline.isVisible();
    }, 50_000);
    expect(await person.page.getByRole('link', { name: 'Web shop' }).isVisible()).toBe(true);
    expect(await person.page.evaluate(cssFilterOf('.state-filter'))).toBe('grayscale(1)');
    await person.page.evaluate(`location.hash = '#/?tv'`);
    await person.page.locator('.wall-counts').waitFor();
    expect(await person.page.evaluate(cssFilterOf('.wall-counts'))).toBe('grayscale(1)');
    expect(await offline.isVisible()).toBe(true);
    await service.start();
    await eventually(async () => {
      await person.page.evaluate(`dispatchEvent(new Event('online'))`);
      return !(await offline.isVisible());
    }, 50_000);
    expect(await person.page.evaluate(cssFilterOf('.wall-counts'))).toBe('none');
  });
});
