import { expect } from 'vitest';
import type { Person } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';

/** What people do on the page, and what they see of it. */
export type Actor = Pick<Person, 'page'>;

/** Waits for a section of the page. */
export const seen = ({ page }: Actor, section: 'link' | 'invitation' | 'sign-in' | 'signed-in') =>
  page.waitForSelector(`#${section}:not([hidden])`);

/** Waits for what the page tells. */
export const told = ({ page }: Actor, words: RegExp) =>
  eventually(async () => words.test((await page.textContent('#told')) ?? ''));

/** The names of one's passkeys. */
export const passkeys = async ({ page }: Actor): Promise<string[]> =>
  (await page.locator('#passkeys li').allInnerTexts()).map((line) => line.replace(/\s*Remove$/, ''));

export async function addPasskey(actor: Actor, name: string): Promise<void> {
  const before = await passkeys(actor);
  await actor.page.fill('#add-passkey [name=name]', name);
  await actor.page.click('#add-passkey [type=submit]');
  await eventually(async () => (await passkeys(actor)).length === before.length + 1);
  expect(await passkeys(actor)).toEqual([...before, name]);
}

export async function removePasskey(actor: Actor, name: string): Promise<void> {
  await actor.page.locator('#passkeys li', { hasText: name }).getByRole('button').click();
  await eventually(async () => !(await passkeys(actor)).includes(name));
}

export async function signOut(actor: Actor): Promise<void> {
  await actor.page.click('#sign-out');
  await seen(actor, 'sign-in');
}

/** Without a word typed. */
export async function signInByPasskey(actor: Actor): Promise<void> {
  await actor.page.click('#by-passkey');
  await seen(actor, 'signed-in');
}

/** Opens a sign-in link and uses it. */
export async function useLink(actor: Actor, url: string): Promise<void> {
  await actor.page.goto(url);
  await seen(actor, 'link');
  await actor.page.click('#use-link');
}
