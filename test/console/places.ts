import type { Browser } from 'playwright-core';
import { pages } from '#console/app/pages.ts';
import { type Person, personWith } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Params } from './hostile-catalog.ts';
import { seen } from './person.ts';

/** The parts of the pages that have some: each has an address of its own. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '/settings/:part': ['account', 'team', 'keys', 'ping-keys', 'sign-in', 'audit', 'look'],
  '/alerts/:part': ['deliveries', 'channels', 'silences', 'windows', 'defaults', 'untold'],
};

/** Every page there is, from the console's own table of pages, so that a new one is covered by itself. */
export const paths = pages.flatMap(({ path }) =>
  PARTS[path] ? PARTS[path].map((part) => path.replace(':part', part)) : [path],
);

/** Whether a page is there for people who are not signed in. */
export const isOpen = (path: string): boolean => pages.some((page) => page.path === path && page.open === true);

/** The address of a page, with its parts filled in. Throws where nothing is known to stand for one. */
export function addressOf(path: string, params: Params): string {
  const [, room] = path.split('/');
  return path.replace(/:\w+/g, (part) => {
    const value = params[`${room} ${part}`];
    if (value === undefined) throw new Error(`Say in hostile-catalog.ts what stands for ${part} of ${path}.`);
    return encodeURIComponent(value);
  });
}

/**
 * Somebody with a browser of their own at the console, signed in already: whoever signs in at the page takes half a
 * second more (person.ts, signInByKey).
 * @param key whose session it is; left out, they are not signed in
 * @param place address of the page
 */
export async function personAt(browser: Browser, url: string, key?: string, place = '/'): Promise<Person> {
  const person = await personWith(browser);
  if (key !== undefined) {
    const headers = { 'x-fleetwatch': 'console', origin: url };
    const answer = await person.context.request.post(`${url}/v1/sign-in/key`, { data: { key }, headers });
    if (!answer.ok()) throw new Error(`No session: ${answer.status()} ${await answer.text()}`);
  }
  await person.page.goto(`${url}/#${place}`);
  await seen(person, key === undefined ? 'sign-in' : 'signed-in');
  return person;
}

/** Goes to an address, and waits until its page has read all that it shows. */
export async function arrive({ page }: Pick<Person, 'page'>, address: string): Promise<void> {
  // What is shown before the address has changed is another page's.
  await page.evaluate(`new Promise((done) => {
    const to = '#' + ${JSON.stringify(address)};
    if (location.hash === to) return done();
    addEventListener('hashchange', () => setTimeout(done), { once: true });
    location.hash = to;
  })`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await eventually(async () => (await page.locator('.loading, [aria-busy=true]').count()) === 0);
}
