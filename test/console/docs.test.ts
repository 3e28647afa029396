import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { openBrowserContext } from '#test/support/browser.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('docs in a browser', () => {
  const world = browserAndService();

  it('finds a section with the keyboard', async () => {
    const { page, complaints } = await openBrowserContext(world.browser);
    await page.goto(`${world.url}/docs`);
    await page.keyboard.press('/');
    await page.keyboard.type('missed heartbeats');
    await page.locator('#results a').first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(() => page.url().endsWith('/docs/use/heartbeats#missed-heartbeats'));
    expect(complaints).toEqual([]);
  });

  it.each(['/docs', '/docs/use/alerts', '/docs/operate/install', '/docs/reference/checks'])(
    'shows %s without accessibility barriers, and fits a phone',
    async (path) => {
      const { page, complaints } = await openBrowserContext(world.browser);
      await page.goto(world.url + path);
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(complaints).toEqual([]);
    },
  );

  it('opens at the matching section from a page of the console', async () => {
    const admin = await newTenant();
    const { page, context } = await personAt(world.browser, world.url, admin.key, '/alerts/silences');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Docs' }).first().click();
    const docs = await opened;
    await docs.getByRole('heading', { name: 'Silences' }).waitFor();
    expect(docs.url()).toBe(`${world.url}/docs/use/alerts#silences`);
  });
});
