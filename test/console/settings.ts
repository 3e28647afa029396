import type { Browser, Page } from 'playwright-core';
import type { Person } from '#test/support/browser.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { personAt } from './places.ts';

/** What people do in the settings, and what they see there. */

export const row = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

/** Chooses something of the menu of a row; of several the last. */
export async function choose(page: Page, of: string, what: string | RegExp): Promise<void> {
  await page.locator(`summary[aria-label="Actions for ${of}"]`).last().click();
  await page.locator('details[open]').getByRole('button', { name: what }).click();
}

/** What a window shows once, by its label. */
export async function shown(page: Page, label: string): Promise<string> {
  const figure = page.getByRole('dialog').locator('figure');
  const labelled = figure.filter({ has: page.locator('figcaption').filter({ hasText: label }) });
  return (await labelled.locator('code').textContent())!;
}

export const copied = (page: Page): Promise<void> => page.getByRole('button', { name: 'I have copied it' }).click();

export async function open(page: Page, part: string): Promise<void> {
  await page.evaluate(`location.hash = '#/settings/${part}'`);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(async () => (await page.locator('.loading').count()) === 0);
}

/** Somebody at a part of the settings, signed in by a key. */
export async function at(browser: Browser, url: string, part: string, { key }: Pick<Client, 'key'>): Promise<Person> {
  const person = await personAt(browser, url, key);
  await open(person.page, part);
  return person;
}

/** Somebody who was invited to the account, and has accepted. */
export async function joined(url: string, admin: Client, role: string, name: string): Promise<Client> {
  const email = `${name.toLowerCase()}@example.com`;
  const { invite_token: token } = (await admin.post('/v1/settings/users/invite', { email, role })).body;
  const accepted = await clientOf(url, '').post('/v1/invitations/accept', { token, name });
  return clientOf(url, accepted.body.key);
}
