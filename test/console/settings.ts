import type { Browser, Page } from 'playwright-core';
import type { Person } from '#test/support/browser.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { personAt } from './places.ts';

/** Finds the rows of a table that contain a text. */
export const row = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

/** Chooses an action in the menu of a row; if several rows match, the last one. @param name of the record in the row */
export async function choose(page: Page, name: string, action: string | RegExp): Promise<void> {
  await page.locator(`summary[aria-label="Actions for ${name}"]`).last().click();
  await page.locator('details[open]').getByRole('button', { name: action }).click();
}

/** Returns a copyable text of a dialog by its label. */
export async function dialogText(page: Page, label: string): Promise<string> {
  const figure = page.getByRole('dialog').locator('figure');
  const labeled = figure.filter({ has: page.locator('figcaption').filter({ hasText: label }) });
  return (await labeled.locator('code').textContent())!;
}

/** Closes the dialog that shows a new key or link. */
export const closeDialog = (page: Page): Promise<void> => page.getByRole('button', { name: 'Done' }).click();

export async function openTab(page: Page, part: string): Promise<void> {
  await page.evaluate(`location.hash = '#/settings/${part}'`);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(async () => (await page.locator('.loading').count()) === 0);
}

/** Signs in with a key and opens a tab of the settings. */
export async function settingsAt(
  browser: Browser,
  url: string,
  part: string,
  { key }: Pick<Client, 'key'>,
): Promise<Person> {
  const person = await personAt(browser, url, key);
  await openTab(person.page, part);
  return person;
}

/** Adds a member to the account. @returns a client of the member */
export async function newMember(url: string, admin: Client, role: string, name: string): Promise<Client> {
  const email = `${name.toLowerCase()}@example.com`;
  const { invite_token: token } = (await admin.post('/v1/settings/users/invite', { email, role })).body;
  const accepted = await clientOf(url, '').post('/v1/invitations/accept', { token, name });
  return clientOf(url, accepted.body.key);
}
