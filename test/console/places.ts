import type { Browser } from 'playwright-core';
import { pages } from '#console/app/pages.ts';
import { openBrowserContext, type Person } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Params } from './hostile-catalog.ts';
import { waitForPage } from './person.ts';

/** Tabs of pages, each with its own address. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '/settings/:part': ['account', 'team', 'keys', 'ping-keys', 'sign-in', 'audit', 'look'],
  '/alerts/:part': ['deliveries', 'channels', 'silences', 'windows', 'defaults', 'no-channel'],
};

/** Addresses of all pages, from the table of pages of the console. */
export const paths = pages.flatMap(({ path }) =>
  PARTS[path] ? PARTS[path].map((part) => path.replace(':part', part)) : [path],
);

/** Whether a page is open without a session. */
export const isOpen = (path: string): boolean => pages.some((page) => page.path === path && page.open === true);

/** Returns the address of a page with its parameters. Throws for an unknown parameter. */
export function addressOf(path: string, params: Params): string {
  const [, segment] = path.split('/');
  return path.replace(/:\w+/g, (part) => {
    const value = params[`${segment} ${part}`];
    if (value === undefined) throw new Error(`Add a value for ${part} of ${path} to hostile-catalog.ts.`);
    return encodeURIComponent(value);
  });
}

/**
 * Opens the console in a new browser context, signed in over the API, which is faster than signInByKey of person.ts.
 * @param key key of the session; undefined: signed out
 * @param place address of the page
 */
export async function personAt(browser: Browser, url: string, key?: string, place = '/'): Promise<Person> {
  const person = await openBrowserContext(browser);
  if (key !== undefined) {
    const headers = { 'x-fleetwatch': 'console', origin: url };
    const response = await person.context.request.post(`${url}/v1/sign-in/key`, { data: { key }, headers });
    if (!response.ok()) throw new Error(`No session: ${response.status()} ${await response.text()}`);
  }
  await person.page.goto(`${url}/#${place}`);
  await waitForPage(person, key === undefined ? 'sign-in' : 'signed-in');
  return person;
}

/** Opens an address and waits until its page has loaded all data. */
export async function arrive({ page }: Pick<Person, 'page'>, address: string): Promise<void> {
  // Until the hashchange event, the previous page is shown.
  await page.evaluate(`new Promise((done) => {
    const to = '#' + ${JSON.stringify(address)};
    if (location.hash === to) return done();
    addEventListener('hashchange', () => setTimeout(done), { once: true });
    location.hash = to;
  })`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await eventually(async () => (await page.locator('.loading, [aria-busy=true]').count()) === 0);
}
