import { beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '#test/support/browser.ts';
import { type Client, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { hostileCatalog, type Params } from './hostile-catalog.ts';
import { expectDisabled } from './person.ts';
import { addressOf, arrive, isOpen, paths, personAt } from './places.ts';

/** Everybody may do this. */
const OWN = /sign out|end|copy|passkey/i;

/** Presses a button by its place among those that can be used; answers its name, undefined behind the last. */
const press = (place: number) => `(async () => {
  const all = [...document.querySelectorAll('main button:not([aria-disabled=true], [disabled])')];
  const one = all[${place}];
  if (!one) return undefined;
  const name = one.getAttribute('aria-label') ?? one.textContent;
  if (!${OWN}.test(name)) one.click();
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  return name;
})()`;

/** Pages of one's own things, which even a viewer takes away. */
const OF_ONES_OWN = ['/settings/keys', '/settings/sign-in'];

/** What a dialog that is open would do. */
const OFFERED = `[...document.querySelectorAll('dialog[open] :is(.main, .danger):not([aria-disabled=true])')].map((one) => one.textContent)`;

describe.skipIf(!binary)('what one may not do, in a real browser', () => {
  const world = inBrowser();
  let url: string;
  let admin: Client;
  let params: Params;
  beforeAll(async () => {
    ({ url } = await target());
    admin = await newTenant();
    params = await hostileCatalog(admin);
  });

  /** Presses all that can be pressed on a page. @returns what the API refused or a dialog offers */
  async function refusedOn(person: Person, path: string): Promise<string[]> {
    const { page } = person;
    const address = addressOf(path, params);
    const refused: string[] = [];
    page.removeAllListeners('response');
    let name: string | undefined;
    page.on('response', (response) => {
      if (response.status() === 403)
        refused.push(`${path}: "${name}" ${response.request().method()} ${response.url()}`);
    });
    await arrive(person, address);
    for (let place = 0; ; place++) {
      name = (await page.evaluate(press(place))) as string | undefined;
      if (name === undefined) break;
      const offered = (await page.evaluate(OFFERED)) as string[];
      if (!OF_ONES_OWN.includes(path)) refused.push(...offered.map((one) => `${path}: "${name}" offers "${one}"`));
      await page.keyboard.press('Escape');
      if (!page.url().includes(`#${address}`)) await arrive(person, address);
    }
    await arrive(person, '/settings/look');
    return refused;
  }

  it.each([
    ['a viewer', () => memberOf(admin, 'viewer')],
    ['who came with a read-only key', () => keyOf(admin, { is_read_only: true })],
  ])('is not offered to %s, on any page', async (_who, made) => {
    const person = await personAt(world.browser, url, (await made()).key);
    const refused: string[] = [];
    for (const path of paths) if (!isOpen(path)) refused.push(...(await refusedOn(person, path)));
    expect(refused).toEqual([]);
    expect(person.complaints).toEqual([]);
  });

  it('is not offered to a member where it takes an admin, and says so', async () => {
    const person = await personAt(world.browser, url, (await memberOf(admin)).key);
    const refused: string[] = [];
    for (const path of paths.filter((one) => one.startsWith('/settings'))) {
      refused.push(...(await refusedOn(person, path)).filter((one) => !one.includes(' offers ')));
    }
    expect(refused).toEqual([]);
    await arrive(person, '/settings/team');
    await expectDisabled(person, 'Make an invitation', /needs the admin role; you are a member/);
  });
});
