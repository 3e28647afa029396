import { beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import type { Person } from '#test/support/browser.ts';
import { newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { HOSTILE, hostileCatalog, type Params } from './hostile-catalog.ts';
import { addressOf, arrive, isOpen, paths, personAt } from './places.ts';

const WIDTHS = [390, 768, 1280, 2560];

/** Pages that show no names of records. */
const WITHOUT_NAMES = ['/agents', '/start', '/settings', '/checks/new', '/alerts/defaults'];

/** Script that lists the elements that exceed the window: `768: 1027 by main > table.grid`. */
const OVERFLOW = `(async () => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('#app *')].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
  const nameOf = ({ localName, classList }) => [localName, ...classList].join('.');
  const names = wide.slice(0, 8).map((one) => nameOf(one.parentElement) + ' > ' + nameOf(one));
  return [clientWidth + ': ' + scrollWidth + ' by ' + names.join(', ')];
})()`;

describe.skipIf(!binary)('all pages in a browser', () => {
  const world = inBrowser();
  let params: Params;
  let signedIn: Person;
  let signedOut: Person;
  beforeAll(async () => {
    const { url } = await target();
    const admin = await newTenant();
    params = await hostileCatalog(admin);
    signedIn = await personAt(world.browser, url, admin.key);
    signedOut = await personAt(world.browser, url);
  });

  it.each(paths)('fit all window sizes, are accessible, and show names as text: %s', async (path) => {
    const person = isOpen(path) ? signedOut : signedIn;
    const { page, complaints } = person;
    await arrive(person, addressOf(path, params));
    const tooWide: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      tooWide.push(...((await page.evaluate(OVERFLOW)) as string[]));
    }
    await page.setViewportSize({ width: 1280, height: 844 });
    expect({ tooWide, axeViolations: await axeViolations(page) }).toEqual({ tooWide: [], axeViolations: [] });
    if (!isOpen(path) && !WITHOUT_NAMES.some((one) => path.startsWith(one))) {
      expect(await page.locator('main').textContent()).toContain(HOSTILE);
    }
    expect(await page.locator('#app').locator('script, iframe, object').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });
});
