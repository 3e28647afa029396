import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll } from './entity-world.ts';
import { watchedEntity } from './incident-world.ts';
import { button } from './person.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('badges in a browser', () => {
  const world = browserAndService();

  it('creates, shows, copies and deletes a badge of an entity', async () => {
    const admin = await newTenant();
    await watchedEntity(admin, 'web', 'Web [shop]', ['checkout']);
    const person = await personAt(world.browser, world.url, admin.key, `/entities/shop/web`);
    await person.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const dialog = person.page.getByRole('dialog');
    await button(person, 'New badge').click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const image = person.page.getByAltText('State of Web [shop]');
    await image.waitFor();
    await expect.poll(() => image.evaluate((one) => (one as { naturalHeight?: number }).naturalHeight)).toBe(20);
    await button(person, 'Copy badge').click();
    await button(person, 'Copied').waitFor();
    const [{ urls }] = got(await admin.get('/v1/badges'), 200);
    const copied = await person.page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`![Web \\[shop\\]](${urls.state})`);
    expect(await axeViolations(person.page)).toEqual([]);
    await expectNoSidewaysScroll(person);
    await person.page.locator('.badges').getByRole('button', { name: 'Delete' }).click();
    await button(person, 'Delete badge').click();
    await person.page.getByText('No badges.').waitFor();
    expect(got(await admin.get('/v1/badges'), 200)).toEqual([]);
    expect(person.complaints).toEqual([]);
  });

  it('draws texts as wide as Chromium would with the same font', async () => {
    const admin = await newTenant();
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const page = await world.browser.newPage();
    for (const label of ['Web shop', 'Fleet 99.95 %', '店舗の状態', '🚀 Deploy']) {
      const { urls } = got(await admin.post('/v1/badges', { entity_id: shop.id, label }), 201);
      const svg = await (await fetch(new URL(new URL(urls.state).pathname, world.url))).text();
      await page.setContent(svg);
      const boxes = await page.locator('text').evaluateAll((texts) =>
        texts.map((text) => {
          const box = text.getBoundingClientRect();
          return { from: box.left, to: box.right };
        }),
      );
      const { left, right } = (await page.locator('svg').evaluate((one) => one.getBoundingClientRect())) as DOMRect;
      expect(boxes[0]!.from - left).toBeCloseTo(5, 0);
      expect(right - boxes[1]!.to).toBeCloseTo(5, 0);
    }
    await page.close();
  });
});
