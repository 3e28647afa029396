import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { startRealService } from '#test/support/real-service.ts';
import { startService, tenantOf } from '#test/support/service.ts';
import { browserAndService, inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, signInByKey, signOut, waitForMessage, waitForPage } from './person.ts';
import { arrive, personAt } from './places.ts';

const TYPED = 'Shop of the <b>night</b>';

const name = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const contact = (page: Page) => page.getByRole('textbox', { name: 'Contact' });

/** Fires the event of a user who returns to the tab. */
const returnToTab = (page: Page) => page.evaluate(`dispatchEvent(new Event('focus'))`);

describe.skipIf(!binary)('tab lifecycle in a browser', () => {
  const world = browserAndService();

  /** Opens the account settings and types a new name. */
  async function typing() {
    const admin = await newTenant();
    const person = await personAt(world.browser, world.url, admin.key);
    await arrive(person, '/settings/account');
    await name(person.page).fill(TYPED);
    return { ...person, admin };
  }

  it('follows sign-out and sign-in of another tab', async () => {
    const admin = await newTenant();
    const first = await personAt(world.browser, world.url, admin.key);
    const second = { page: await first.context.newPage() };
    await second.page.goto(`${world.url}/#/settings/account`);
    await name(second.page).fill(TYPED);

    await signOut(first);
    // The second tab detects the sign-out at its next poll, which the event triggers.
    await second.page.evaluate(`dispatchEvent(new Event('online'))`);
    await waitForPage(second, 'sign-in');

    await signInByKey(first, admin.key);
    await returnToTab(second.page);
    await second.page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(second.page.url()).toMatch(/#\/settings\/account$/);
    await eventually(async () => (await name(second.page).inputValue()) === TYPED);
    expect(first.complaints).toEqual([]);
  });

  it('shows an API error at its field, and keeps input through a reload', async () => {
    const { page, complaints } = await typing();
    await contact(page).fill('no-address');
    await button({ page }, 'Save').click();
    await eventually(async () => (await contact(page).getAttribute('aria-invalid')) === 'true');
    const errorId = (await contact(page).getAttribute('aria-describedby'))!.split(' ').at(-1)!;
    expect(await page.locator(`[id="${errorId}"]`).textContent()).toMatch(/e-mail/i);
    expect(await name(page).inputValue()).toBe(TYPED);
    await page.reload();
    await eventually(async () => (await name(page).inputValue()) === TYPED);
    expect(await contact(page).inputValue()).toBe('no-address');
    expect(complaints).toEqual([]);
  });

  it('keeps input when the session ends elsewhere', async () => {
    const admin = await newTenant();
    const made = await admin.post('/v1/auth/keys', { label: 'of a browser' });
    const { page, complaints } = await personAt(world.browser, world.url, made.body.key);
    await arrive({ page }, '/settings/account');
    await name(page).fill(TYPED);
    expect(await admin.del(`/v1/auth/keys/${made.body.id}`)).toMatchObject({ status: 204 });
    await button({ page }, 'Save').click();
    await waitForPage({ page }, 'sign-in');
    await signInByKey({ page }, admin.key);
    await eventually(async () => (await name(page).inputValue()) === TYPED);
    await button({ page }, 'Save').click();
    await waitForMessage({ page }, /account is changed/);
    expect((await admin.get('/v1/me')).body.name).toBe(TYPED);
    expect(complaints).toEqual([]);
  });

  it('hides input from another user', async () => {
    const { page } = await typing();
    const other = await newTenant();
    await signOut({ page });
    await signInByKey({ page }, other.key);
    await arrive({ page }, '/settings/account');
    expect(await name(page).inputValue()).not.toBe(TYPED);
  });

  it.each([true, false])(
    'reloads once when the file of a page is missing after an upgrade (exists after the reload: %s)',
    async (existsLater) => {
      const { page, complaints } = await typing();
      let loads = 0;
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loads++;
      });
      await page.route('**/assets/*.js', (route) => {
        const isPageFile = !/\/(main|chunk)-\w+\.js$/.test(route.request().url());
        return isPageFile && (loads === 0 || !existsLater)
          ? route.fulfill({ status: 404, body: '{}' })
          : route.continue();
      });
      await page.evaluate(`location.hash = '#/catalog'`);
      const heading = page.getByRole('heading', { level: 1, name: 'Catalog' });
      if (existsLater) await eventually(async () => loads === 1 && (await heading.isVisible()));
      else await page.getByText('This page could not be loaded').waitFor();
      expect(loads).toBe(1);
      expect(page.url()).toMatch(/#\/catalog$/);
      expect(complaints).toEqual([]);
    },
  );
});

describe.skipIf(!binary)('tab during a service outage', () => {
  const world = inBrowser();

  it('keeps input, shows Offline, and recovers without a reload', async () => {
    await using service = await startRealService();
    const { page, complaints } = await personAt(world.browser, service.url, service.client.key);
    await page.clock.install();
    await arrive({ page }, '/settings/account');
    await name(page).fill(TYPED);
    await service.kill();
    await button({ page }, 'Save').click();
    await waitForMessage({ page }, /service cannot be reached/);
    // From here on there is no user input: the polls detect the outage and its end.
    const offline = page.getByText('Offline');
    const afterAMinute = async (isSo: () => Promise<boolean>) => {
      await page.clock.fastForward(61_000);
      return isSo();
    };
    await eventually(() => afterAMinute(() => offline.isVisible()), 20_000);
    await service.start();
    await eventually(() => afterAMinute(async () => !(await offline.isVisible())), 20_000);
    expect(await name(page).inputValue()).toBe(TYPED);
    await button({ page }, 'Save').click();
    await waitForMessage({ page }, /account is changed/);
    expect((await service.client.get('/v1/me')).body.name).toBe(TYPED);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!binary)('a service on a disk that is nearly full', () => {
  const world = inBrowser();

  it('warns admins on every page, with a link to the documentation', async () => {
    const service = await startService();
    await service.ports.table.putMany([{ ...service.keys.disk, free_percent: 4.2 }]);
    const { key } = await tenantOf(service);
    const { page, complaints } = await personAt(world.browser, service.url, key);
    const banner = page.getByRole('status').filter({ hasText: 'Low disk space' });
    await banner.getByText('4.2 % of the disk of the service is free').waitFor();
    await arrive({ page }, '/settings/account');
    expect(await banner.isVisible()).toBe(true);
    const docs = await page.request.get(
      new URL((await banner.getByRole('link').getAttribute('href'))!, service.url).href,
    );
    expect(await docs.text()).toContain('id="low-disk-space"');
    expect(complaints).toEqual([]);
    await service.stop();
  });
});
