import type { Browser, Page } from 'playwright-core';
import type { Person } from '#test/support/browser.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { personAt } from './places.ts';

/** Actions of a user in the settings. */

export const row = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

/** Chooses an item in the menu of a row; if several rows match, the last one. */
export async function choose(page: Page, of: string, what: string | RegExp): Promise<void> {
  await page.locator(`summary[aria-label="Actions for ${of}"]`).last().click();
  await page.locator('details[open]').getByRole('button', { name: what }).click();
}

/** Returns a text of a dialog by its label. */
export async function shown(page: Page, label: string): Promise<string> {
  const figure = page.getByRole('dialog').locator('figure');
  const labelled = figure.filter({ has: page.locator('figcaption').filter({ hasText: label }) });
  return (await labelled.locator('code').textContent())!;
}

export const copied = (page: Page): Promise<void> => page.getByRole('button', { name: 'Done' }).click();

export async function open(page: Page, part: string): Promise<void> {
  await page.evaluate(`location.hash = '#/settings/${part}'`);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(async () => (await page.locator('.loading').count()) === 0);
}

/** Opens a tab of the settings with a key. */
export async function at(browser: Browser, url: string, part: string, { key }: Pick<Client, 'key'>): Promise<Person> {
  const person = await personAt(browser, url, key);
  await open(person.page, part);
  return person;
}

/** Returns a client of a new member of the account. */
export async function joined(url: string, admin: Client, role: string, name: string): Promise<Client> {
  const email = `${name.toLowerCase()}@example.com`;
  const { invite_token: token } = (await admin.post('/v1/settings/users/invite', { email, role })).body;
  const accepted = await clientOf(url, '').post('/v1/invitations/accept', { token, name });
  return clientOf(url, accepted.body.key);
}
