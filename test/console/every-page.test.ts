import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '#console/app/pages.ts';
import { barriers } from '#test/support/axe.ts';
import { type Person, personWith, startBrowser } from '#test/support/browser.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { target } from '#test/support/service.ts';
import { binary } from './chromium.ts';
import { addressOf, HOSTILE, hostileCatalog, type Params } from './hostile-catalog.ts';
import { seen, signInByKey } from './person.ts';

const WIDTHS = [390, 768, 1280, 2560];

/** Pages that show nothing of the catalog. */
const NAMES_NOTHING = ['/agents', '/start', '/settings', '/checks/new'];

/** The parts of one page: each has an address of its own. */
const SETTINGS = ['account', 'team', 'keys', 'sign-in', 'audit', 'look'];

/** Every address there is, from the table of pages. */
const paths = pages.flatMap(({ path }) =>
  path === '/settings/:part' ? SETTINGS.map((part) => `/settings/${part}`) : [path],
);
const open = new Set(pages.filter((page) => page.open).map(({ path }) => path));

/** What reaches beyond the window once it has settled: `768: main > table.grid 1027`. */
const OVERFLOW = `(async () => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('#app *')].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
  const nameOf = ({ localName, classList }) => [localName, ...classList].join('.');
  const told = wide.slice(0, 8).map((one) => nameOf(one.parentElement) + ' > ' + nameOf(one));
  return [clientWidth + ': ' + scrollWidth + ' by ' + told.join(', ')];
})()`;

/** Waits until the page of the address has read all that it shows. */
async function arrive({ page }: Person, address: string): Promise<void> {
  await page.evaluate(`location.hash = '#${address}'`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await eventually(async () => (await page.locator('.loading, [aria-busy=true]').count()) === 0);
}

describe.skipIf(!binary)('every page, in a real browser', () => {
  let browser: Browser;
  let url: string;
  let admin: Client;
  let params: Params;
  let insider: Person;
  let outsider: Person;

  async function personOf(key?: string): Promise<Person> {
    const person = await personWith(browser);
    await person.page.goto(url);
    await seen(person, 'sign-in');
    if (key !== undefined) await signInByKey(person, key);
    return person;
  }

  beforeAll(async () => {
    browser = await startBrowser(binary!);
    ({ url } = await target());
    admin = await newTenant();
    params = await hostileCatalog(admin);
    insider = await personOf(admin.key);
    outsider = await personOf();
  });
  afterAll(() => browser?.close());

  it.each(paths)('%s fits every window, has no barrier in either theme, and shows every name as text', async (path) => {
    const person = open.has(path) ? outsider : insider;
    const { page, complaints } = person;
    await arrive(person, addressOf(path, params));
    const tooWide: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      tooWide.push(...((await page.evaluate(OVERFLOW)) as string[]));
    }
    const found = { tooWide, barriers: [] as string[] };
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      found.barriers.push(...(await barriers(page)).map((one) => `${width}: ${one}`));
    }
    expect(found).toEqual({ tooWide: [], barriers: [] });
    if (!open.has(path) && !NAMES_NOTHING.some((one) => path.startsWith(one))) {
      expect(await page.locator('main').textContent()).toContain(HOSTILE);
    }
    expect(await page.locator('#app').locator('script, iframe, object').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });
});
