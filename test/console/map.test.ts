import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll, ODD_NAMES, report, shopVisitor, visitor } from './entity-world.ts';
import { button, pollNow } from './person.ts';

describe.skipIf(!binary)('map page in a browser', () => {
  const world = browserAndService();

  it('shows root causes, the map with upstream to the left, and a table', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin, checks, complaints } = person;
    await go('/map');
    const causes = page.getByRole('table', { name: 'Root causes' }).locator('tbody tr');
    expect(await causes.allTextContents()).toEqual([expect.stringMatching(/Down.*Database.*disk is full.*2/s)]);
    const map = page.getByRole('region', { name: 'Map of 3 entities' });
    const nodes = map.getByRole('link');
    expect(await nodes.allTextContents()).toEqual(['Databaseroot cause', 'Public APIDown', 'Web shopDown']);
    const lefts = await Promise.all([0, 1, 2].map(async (i) => (await nodes.nth(i).boundingBox())!.x));
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    expect(await map.locator('.map-line').count()).toBe(2);
    const table = page.getByRole('table', { name: 'Relations' }).locator('tbody tr');
    expect(await table.allTextContents()).toEqual([
      'DownPublic APIdepends_onDownDatabase',
      'DownWeb shopdepends_onDownPublic API',
    ]);
    expect(await page.getByText(`Not shown: ${ODD_NAMES.length} entities that no root cause affects.`).count()).toBe(1);
    await button(person, 'Show all').click();
    await page.getByText(`Not shown: ${ODD_NAMES.length} entities without a relation on this map.`).waitFor();
    expect(page.url()).toContain('#/map?all=1');
    await button(person, 'Show affected').click();
    await page.getByText('that no root cause affects').waitFor();
    const width = async () => (await nodes.first().boundingBox())!.width;
    const before = await width();
    await button(person, 'Zoom in').click();
    await eventually(async () => (await width()) > before);
    await button(person, 'Zoom out').click();
    await eventually(async () => Math.abs((await width()) - before) < 1);
    await button(person, 'Fit').waitFor();
    await page.getByText(/^A failure spreads along the arrows/).waitFor();
    // Each arrow ends at the affected entity, to the right of its cause.
    expect(await map.locator('.map-line[marker-end]').count()).toBe(2);
    // When the root cause recovers, the next one is listed.
    await report(admin, checks[2]!, true);
    await pollNow(person);
    await eventually(async () => /Public API/.test((await causes.first().textContent()) ?? ''));
    expect(complaints).toEqual([]);
  });

  it('supports the keyboard, and keeps the filters in the address', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, shop, database } = person;
    await go('/map');
    await page.getByRole('combobox', { name: /^Entity/ }).fill('shop');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Map of 2 entities' }).waitFor();
    expect(await page.getByText('1 relation to entities outside the filter').count()).toBe(1);
    await page.getByLabel('Distance').selectOption('2');
    await eventually(async () => page.url().endsWith(`#/map?around=${shop.id}&depth=2`));
    await page.reload();
    const map = page.getByRole('region', { name: 'Map of 3 entities' });
    await map.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Database', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Show on map' }).click();
    await eventually(async () => page.url().endsWith(`#/map?around=${database.id}`));
    await button(person, 'Show all').click();
    await map.waitFor();
  });

  it('shows an entity that another client has just created', async () => {
    const { page, go, admin, database } = await shopVisitor(world.browser, world.url);
    await page.getByRole('link', { name: 'Database' }).waitFor();
    const made = got(await admin.post('/v1/blueprints/service/entities', { slug: 'cron', name: 'Cron jobs' }), 201);
    const relation = { from_entity_id: made.id, to_entity_id: database.id, relation_type: 'depends_on' };
    got(await admin.post('/v1/relations', relation), 201);
    await go('/map');
    await page
      .getByRole('region', { name: 'Map of 4 entities' })
      .getByRole('link', { name: /Cron jobs/ })
      .waitFor();
  });

  it('requires a filter above 300 entities, and lists all in the table', async () => {
    const admin = await newTenant();
    got(await admin.post('/v1/blueprints', { slug: 'host', name: 'Host' }), 201);
    const ids: string[] = [];
    for (let i = 0; i <= 300; i++) {
      ids.push(got(await admin.post('/v1/blueprints/host/entities', { slug: `h-${i}`, name: `Host ${i}` }), 201).id);
    }
    for (const id of ids.slice(1)) {
      const relation = { from_entity_id: id, to_entity_id: ids[0], relation_type: 'runs_on' };
      got(await admin.post('/v1/relations', relation), 201);
    }
    const { page, go } = await visitor(world.browser, world.url, admin);
    await go('/map');
    await page.getByText('301 entities are too many for one map').waitFor();
    expect(await page.getByRole('table', { name: 'Relations' }).getAttribute('aria-rowcount')).toBe('301');
    await page.getByRole('combobox', { name: /^Entity/ }).fill('h-7');
    await page
      .getByRole('option', { name: /Host 7/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Map of 2 entities' }).waitFor();
  });

  atNight('fits a phone and a wide screen, and is accessible', async () => {
    const person = await shopVisitor(world.browser, world.url);
    for (const width of [390, 2560]) {
      await person.page.setViewportSize({ width, height: 844 });
      await person.go('/map');
      await person.page.getByRole('region', { name: 'Map of 3 entities' }).waitFor();
      await expectNoSidewaysScroll(person);
      expect(await axeViolations(person.page)).toEqual([]);
    }
    expect(person.complaints).toEqual([]);
  });
});
