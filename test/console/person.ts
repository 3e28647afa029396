import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';

/** User at a page of the console. */
export type Actor = Pick<Person, 'page'>;

const HEADINGS = { link: 'Sign in with a link', invitation: 'Accept the invitation', 'sign-in': 'Sign in' };

const heading = ({ page }: Actor, name: string) => page.getByRole('heading', { name, exact: true, level: 1 });
const offer = (actor: Actor) => heading(actor, 'You are signed in');
export const button = ({ page }: Actor, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });

/** Asserts that a button is disabled with a reason. */
export async function expectDisabled(actor: Actor, name: string, why: RegExp): Promise<void> {
  expect(await button(actor, name).getAttribute('aria-disabled')).toBe('true');
  expect(await button(actor, name).getAttribute('title')).toMatch(why);
}

/** Waits for a page; `signed-in`: any page of the console, or the offer of a passkey after the sign-in. */
export const waitForPage = (actor: Actor, what: keyof typeof HEADINGS | 'signed-in') =>
  (what === 'signed-in'
    ? offer(actor).or(actor.page.getByRole('navigation', { name: 'Pages' }))
    : heading(actor, HEADINGS[what])
  ).waitFor();

/** Waits for a message of the page in an alert or status region. */
export const waitForMessage = ({ page }: Actor, words: RegExp) =>
  eventually(async () => {
    const texts = await page.locator('[role=alert], [role=status]').allTextContents();
    return texts.some((text) => words.test(text));
  });

/** Makes the page poll at once instead of after its interval. */
export const pollNow = ({ page }: Actor) => page.evaluate(`dispatchEvent(new Event('online'))`);

/** Skips the offer of a passkey, if it is shown. */
async function skipOffer(actor: Actor): Promise<void> {
  await waitForPage(actor, 'signed-in');
  if (await offer(actor).isVisible()) await button(actor, /^(Not now|Continue)$/).click();
  await actor.page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Opens the sign-in settings. */
export async function openSignIns(actor: Actor): Promise<void> {
  await skipOffer(actor);
  await actor.page.evaluate(`location.hash = '#/settings/sign-in'`);
  await actor.page.getByRole('heading', { name: 'Sessions' }).waitFor();
}

/** Returns the texts in the first column of a table after the page has loaded. */
const namesIn = async ({ page }: Actor, table: string): Promise<string[]> => {
  await eventually(async () => (await page.locator('.loading').count()) === 0);
  return page.getByRole('table', { name: table }).locator('tbody tr td:first-child').allTextContents();
};

/** Returns the names of the passkeys. */
export async function passkeys(actor: Actor): Promise<string[]> {
  await openSignIns(actor);
  return namesIn(actor, 'Passkeys');
}

/** Returns the names of the linked identities. */
export const identities = async (actor: Actor): Promise<string[]> => {
  await openSignIns(actor);
  return namesIn(actor, 'Identities');
};

const nameAndAdd = async (actor: Actor, name: string) => {
  await actor.page.getByLabel(/^Name/).fill(name);
  await button(actor, 'Add passkey').click();
};

/** Accepts the offer after the sign-in, which adds a passkey. */
export async function takeOffer(actor: Actor, name: string): Promise<void> {
  await offer(actor).waitFor();
  await nameAndAdd(actor, name);
  await actor.page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Submits the passkey form in the settings. */
export async function submitPasskeyForm(actor: Actor, name: string): Promise<void> {
  await openSignIns(actor);
  await nameAndAdd(actor, name);
}

export async function addPasskey(actor: Actor, name: string): Promise<void> {
  const before = await passkeys(actor);
  await submitPasskeyForm(actor, name);
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

/** Returns the signed-in user as the menu shows it: `Ben, member of Acme`. */
export async function signedInUser(actor: Actor): Promise<string> {
  await skipOffer(actor);
  const who = actor.page.locator('.who');
  return `${await who.locator('strong').textContent()}, ${await who.locator('span').textContent()}`;
}

export async function signOut(actor: Actor): Promise<void> {
  await skipOffer(actor);
  await userMenu(actor).click();
  await button(actor, 'Sign out').click();
  await waitForPage(actor, 'sign-in');
}

export async function signInByPasskey(actor: Actor): Promise<void> {
  await button(actor, 'Use a passkey').click();
  await waitForPage(actor, 'signed-in');
}

export async function signInByKey(actor: Actor, key: string): Promise<void> {
  await actor.page.getByLabel(/^API key/).fill(key);
  await button(actor, 'Sign in').click();
  await waitForPage(actor, 'signed-in');
}

/** Opens and uses a sign-in link. */
export async function useLink(actor: Actor, url: string): Promise<void> {
  await actor.page.goto(url);
  await waitForPage(actor, 'link');
  await button(actor, 'Sign in').click();
}

/** Enters a duration. @param field its label */
export async function enterDuration(within: Locator | Page, field: string, amount: string, unit: string) {
  await within.getByLabel(`Unit of ${field}`, { exact: true }).selectOption(unit);
  await within.getByRole('textbox', { name: new RegExp(`^${field}`) }).fill(amount);
}

/** Adds a row to a map of names and values, such as labels or headers. */
export async function addToMap(within: Locator | Page, field: string, name: string, value: string) {
  const group = within.getByRole('group', { name: field });
  await group.getByRole('button', { name: 'Add', exact: true }).click();
  const row = group.getByRole('listitem').last();
  await row.getByLabel('Name').fill(name);
  await row.getByLabel('Value').fill(value);
}

/** Opens a folded group of a form. */
export const unfold = (within: Locator | Page, group: string) => within.locator('summary', { hasText: group }).click();
