import { expect } from 'vitest';
import type { Person } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';

/** What people do on the page, and what they see of it. */
export type Actor = Pick<Person, 'page'>;

const HEADINGS = { link: 'Sign in by link', invitation: 'Accept the invitation', 'sign-in': 'Sign in' };

const heading = ({ page }: Actor, name: string) => page.getByRole('heading', { name, exact: true, level: 1 });
const offer = (actor: Actor) => heading(actor, 'You are in');
export const button = ({ page }: Actor, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });

/** A button that cannot be used says why. */
export async function expectDisabled(actor: Actor, name: string, why: RegExp): Promise<void> {
  expect(await button(actor, name).getAttribute('aria-disabled')).toBe('true');
  expect(await button(actor, name).getAttribute('title')).toMatch(why);
}

/** Waits for a page; `signed-in` is any that only somebody who is signed in has. */
export const seen = (actor: Actor, what: keyof typeof HEADINGS | 'signed-in') =>
  (what === 'signed-in'
    ? offer(actor).or(actor.page.getByRole('navigation', { name: 'Pages' }))
    : heading(actor, HEADINGS[what])
  ).waitFor();

/** Waits for what the page tells, as a reader would hear it. */
export const told = ({ page }: Actor, words: RegExp) =>
  eventually(async () => {
    const texts = await page.locator('[role=alert], [role=status]').allTextContents();
    return texts.some((text) => words.test(text));
  });

/** The page asks for news now, and not when its interval ends, which test/console/fleet.test.ts waits for. */
export const pollNow = ({ page }: Actor) => page.evaluate(`dispatchEvent(new Event('online'))`);

/** Goes on to the console proper, past the offer of a passkey. */
async function pastOffer(actor: Actor): Promise<void> {
  await seen(actor, 'signed-in');
  if (await offer(actor).isVisible()) await button(actor, /^(Not now|Go on)$/).click();
  await actor.page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Opens what one's own sign-ins are. */
export async function openSignIns(actor: Actor): Promise<void> {
  await pastOffer(actor);
  await actor.page.evaluate(`location.hash = '#/settings/sign-in'`);
  await actor.page.getByRole('heading', { name: 'Sessions' }).waitFor();
}

/** The first cells of a table, once everything was read. */
const namesIn = async ({ page }: Actor, table: string): Promise<string[]> => {
  await eventually(async () => (await page.locator('.loading').count()) === 0);
  return page.getByRole('table', { name: table }).locator('tbody tr td:first-child').allTextContents();
};

/** The names of one's passkeys. */
export async function passkeys(actor: Actor): Promise<string[]> {
  await openSignIns(actor);
  return namesIn(actor, 'Passkeys');
}

/** The identities of one at the provider, by what people call them. */
export const identities = async (actor: Actor): Promise<string[]> => {
  await openSignIns(actor);
  return namesIn(actor, 'Identities');
};

const nameAndAdd = async (actor: Actor, name: string) => {
  await actor.page.getByLabel(/^Name/).fill(name);
  await button(actor, 'Add a passkey').click();
};

/** Takes the passkey that is offered to who has just come in. */
export async function takeOffer(actor: Actor, name: string): Promise<void> {
  await offer(actor).waitFor();
  await nameAndAdd(actor, name);
  await actor.page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Tries to add a passkey in the settings. */
export async function askForPasskey(actor: Actor, name: string): Promise<void> {
  await openSignIns(actor);
  await nameAndAdd(actor, name);
}

export async function addPasskey(actor: Actor, name: string): Promise<void> {
  const before = await passkeys(actor);
  await askForPasskey(actor, name);
  await eventually(async () => (await passkeys(actor)).length === before.length + 1);
  expect(await passkeys(actor)).toEqual([...before, name]);
}

export async function removePasskey(actor: Actor, name: string): Promise<void> {
  await openSignIns(actor);
  const { page } = actor;
  await page.getByRole('row', { name }).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await eventually(async () => !(await passkeys(actor)).includes(name));
}

const userMenu = ({ page }: Actor) => page.locator('summary[aria-label^="Signed in as"]');

/** Who is signed in, as the menu says it. */
export async function whoIsIn(actor: Actor): Promise<string> {
  await pastOffer(actor);
  const who = actor.page.locator('.who');
  return `${await who.locator('strong').textContent()}, ${await who.locator('span').textContent()}`;
}

export async function signOut(actor: Actor): Promise<void> {
  await pastOffer(actor);
  await userMenu(actor).click();
  await button(actor, 'Sign out').click();
  await seen(actor, 'sign-in');
}

/** Without a word typed. */
export async function signInByPasskey(actor: Actor): Promise<void> {
  await button(actor, 'Use a passkey').click();
  await seen(actor, 'signed-in');
}

export async function signInByKey(actor: Actor, key: string): Promise<void> {
  await actor.page.getByLabel(/^API key/).fill(key);
  await button(actor, 'Sign in').click();
  await seen(actor, 'signed-in');
}

/** Opens a sign-in link and uses it. */
export async function useLink(actor: Actor, url: string): Promise<void> {
  await actor.page.goto(url);
  await seen(actor, 'link');
  await button(actor, 'Sign in').click();
}
