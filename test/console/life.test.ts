import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { startRealService } from '#test/support/real-service.ts';
import { browserAndService, inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, seen, signInByKey, signOut, told } from './person.ts';
import { arrive, personAt } from './places.ts';

const TYPED = 'Shop of the <b>night</b>';

const name = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const contact = (page: Page) => page.getByRole('textbox', { name: 'Contact' });

/** What a browser says when somebody comes back to a tab. */
const comeBack = (page: Page) => page.evaluate(`dispatchEvent(new Event('focus'))`);

describe.skipIf(!binary)('the life of a tab, in a real browser', () => {
  const world = browserAndService();

  /** Somebody who has begun to change the account. */
  async function typing() {
    const admin = await newTenant();
    const person = await personAt(world.browser, world.url, admin.key);
    await arrive(person, '/settings/account');
    await name(person.page).fill(TYPED);
    return { ...person, admin };
  }

  it('goes on where another tab signs out, and signs in again', async () => {
    const admin = await newTenant();
    const first = await personAt(world.browser, world.url, admin.key);
    const second = { page: await first.context.newPage() };
    await second.page.goto(`${world.url}/#/settings/account`);
    await name(second.page).fill(TYPED);

    await signOut(first);
    // The poller asks the next time it looks.
    await second.page.evaluate(`dispatchEvent(new Event('online'))`);
    await seen(second, 'sign-in');

    await signInByKey(first, admin.key);
    await comeBack(second.page);
    await second.page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(second.page.url()).toMatch(/#\/settings\/account$/);
    await eventually(async () => (await name(second.page).inputValue()) === TYPED);
    expect(first.complaints).toEqual([]);
  });

  it('shows what the API says at its field, and keeps what was typed, also through a reload', async () => {
    const { page, complaints } = await typing();
    await contact(page).fill('nobody');
    await button({ page }, 'Save').click();
    await eventually(async () => (await contact(page).getAttribute('aria-invalid')) === 'true');
    const errorId = (await contact(page).getAttribute('aria-describedby'))!.split(' ').at(-1)!;
    expect(await page.locator(`[id="${errorId}"]`).textContent()).toMatch(/e-mail/i);
    expect(await name(page).inputValue()).toBe(TYPED);
    await page.reload();
    await eventually(async () => (await name(page).inputValue()) === TYPED);
    expect(await contact(page).inputValue()).toBe('nobody');
    expect(complaints).toEqual([]);
  });

  it('keeps what was typed when the session ends elsewhere in the middle of it', async () => {
    const admin = await newTenant();
    const made = await admin.post('/v1/auth/keys', { label: 'of a browser' });
    const { page, complaints } = await personAt(world.browser, world.url, made.body.key);
    await arrive({ page }, '/settings/account');
    await name(page).fill(TYPED);
    expect(await admin.del(`/v1/auth/keys/${made.body.id}`)).toMatchObject({ status: 204 });
    await button({ page }, 'Save').click();
    await seen({ page }, 'sign-in');
    await signInByKey({ page }, admin.key);
    await eventually(async () => (await name(page).inputValue()) === TYPED);
    await button({ page }, 'Save').click();
    await told({ page }, /account was changed/);
    expect((await admin.get('/v1/me')).body.name).toBe(TYPED);
    expect(complaints).toEqual([]);
  });

  it('keeps it for whoever typed it alone', async () => {
    const { page } = await typing();
    const other = await newTenant();
    await signOut({ page });
    await signInByKey({ page }, other.key);
    await arrive({ page }, '/settings/account');
    expect(await name(page).inputValue()).not.toBe(TYPED);
  });

  it.each([true, false])(
    'loads anew, once, when the file of a page is gone after an upgrade (there then: %s)',
    async (isBack) => {
      const { page, complaints } = await typing();
      let loads = 0;
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loads++;
      });
      await page.route('**/assets/*.js', (route) => {
        const isLate = !/\/(main|chunk)-\w+\.js$/.test(route.request().url());
        return isLate && (loads === 0 || !isBack) ? route.fulfill({ status: 404, body: '{}' }) : route.continue();
      });
      await page.evaluate(`location.hash = '#/catalog'`);
      const heading = page.getByRole('heading', { level: 1, name: 'Catalog' });
      if (isBack) await eventually(async () => loads === 1 && (await heading.isVisible()));
      else await page.getByText('This page could not be loaded').waitFor();
      expect(loads).toBe(1);
      expect(page.url()).toMatch(/#\/catalog$/);
      expect(complaints).toEqual([]);
    },
  );
});

describe.skipIf(!binary)('a service that is killed and comes back', () => {
  const world = inBrowser();

  it('costs nothing that was typed, and the page says so and recovers by itself', async () => {
    await using service = await startRealService();
    const { page, complaints } = await personAt(world.browser, service.url, service.client.key);
    await page.clock.install();
    await arrive({ page }, '/settings/account');
    await name(page).fill(TYPED);
    await service.kill();
    await button({ page }, 'Save').click();
    await told({ page }, /service cannot be reached/);
    // Nobody touches the page from here on: its own looks say that the service is away, and that it is back.
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
    await told({ page }, /account was changed/);
    expect((await service.client.get('/v1/me')).body.name).toBe(TYPED);
    expect(complaints).toEqual([]);
  });
});
