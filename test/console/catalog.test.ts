import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll, ODD_NAMES, readerOf, shopVisitor, visitor } from './entity-world.ts';
import { button, expectDisabled } from './person.ts';

describe.skipIf(!binary)('catalog pages in a browser', () => {
  const world = browserAndService();

  it('focuses the first field of a dialog, fills the slug from the name, and closes a dialog when the page changes', async () => {
    const admin = await newTenant();
    const person = await visitor(world.browser, world.url, admin);
    const { page, go } = person;
    await go('/catalog');
    await button(person, 'New blueprint').click();
    await page.keyboard.type('Cron job');
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('Cron job');
    expect(await page.getByLabel(/^Slug/).inputValue()).toBe('cron-job');
    await button(person, 'Create').click();
    await page.getByRole('heading', { name: 'Cron job', level: 1 }).waitFor();
    await button(person, 'New entity').click();
    await page.keyboard.type('Nightly backup (EU)');
    await button(person, 'Create').click();
    await page.getByRole('row', { name: /Nightly backup/ }).waitFor();
    expect((await admin.get('/v1/blueprints/cron-job/entities')).body).toMatchObject([{ slug: 'nightly-backup-eu' }]);

    await page.locator('body').press('?');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await go('/incidents');
    await dialog.waitFor({ state: 'detached' });
  });

  it('creates a blueprint, orders its fields, and creates an entity', async () => {
    const admin = await newTenant();
    const person = await visitor(world.browser, world.url, admin);
    const { page, go, complaints } = person;
    await go('/catalog');
    await page.getByText('No blueprints yet').waitFor();
    await button(person, 'New blueprint').click();
    await page.getByLabel(/^Name/).fill('Service');
    await page.getByLabel(/^Slug/).fill('not a slug');
    await button(person, 'Create').click();
    expect(await page.locator('.field', { hasText: 'Slug' }).locator('.field-error').textContent()).toMatch(/letters/);
    await page.getByLabel(/^Slug/).fill('service');
    await button(person, 'Create').click();
    await page.getByRole('heading', { name: 'Service', level: 1 }).waitFor();

    await page.getByRole('link', { name: 'Fields 0' }).click();
    for (const [name, type] of [
      ['tier', 'number'],
      ['runbook', 'url'],
    ] as const) {
      await button(person, 'New field').click();
      await page.getByLabel(/^Name/).fill(name);
      await page.getByLabel(/^Type/).selectOption(type);
      await button(person, 'Add').click();
      await page.getByRole('row', { name: new RegExp(name) }).waitFor();
    }
    await button(person, 'Edit tier').click();
    await page.getByLabel(/^Default/).fill('high');
    await button(person, 'Save').click();
    await page.locator('.field', { hasText: 'Default' }).locator('.field-error').waitFor();
    await page.getByLabel(/^Default/).fill('3');
    await button(person, 'Save').click();
    await page.getByRole('row', { name: /tier.*3/ }).waitFor();
    await button(person, 'Move runbook up').click();
    await eventually(async () => (await admin.get('/v1/blueprints/service')).body.fields[0].name === 'runbook');
    expect((await admin.get('/v1/blueprints/service')).body.fields).toMatchObject([
      { name: 'runbook', field_type: 'url' },
      { name: 'tier', field_type: 'number', default_value: '3', required: false },
    ]);

    await page.getByRole('link', { name: 'Entities 0' }).click();
    await button(person, 'New entity').click();
    await page.getByLabel(/^Name/).fill('Web shop');
    await page.getByLabel(/^Slug/).fill('shop');
    await button(person, 'Create').click();
    expect(await page.getByRole('row', { name: /Web shop/ }).textContent()).toMatch(/Unknown.*Web shop.*shop.*3/s);
    expect(complaints).toEqual([]);
  });

  it('shows entity counts, limits, and the worst state', async () => {
    const { page, go } = await shopVisitor(world.browser, world.url);
    await go('/catalog');
    await page.getByRole('row', { name: /Service.*default.*3 down.*7 of 1,000/s }).waitFor();
    expect(await page.getByText(/^1 of 50 blueprints, 7 entities$/).count()).toBe(1);
  });

  it('lists entities with odd names as text, searches them, and deletes several', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin, complaints } = person;
    await go('/catalog/service');
    const rows = page.getByRole('table', { name: 'Entities' }).locator('tbody tr');
    await eventually(async () => (await rows.count()) === 3 + ODD_NAMES.length);
    for (const name of ODD_NAMES) expect(await page.getByRole('link', { name, exact: true }).count()).toBe(1);
    await page.getByRole('searchbox').fill('data team');
    await eventually(async () => (await rows.count()) === 1);
    await page.getByRole('searchbox').fill('odd');
    await eventually(async () => (await rows.count()) === ODD_NAMES.length);
    await page.getByLabel('Select all').check();
    await page.getByRole('region', { name: 'Selected' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No matches').waitFor();
    expect((await admin.get('/v1/blueprints/service/entities')).body).toHaveLength(3);
    expect(complaints).toEqual([]);
  });

  it('imports a pasted table, and keeps rejected lines with the reason', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin } = person;
    await go('/catalog/service?part=import');
    const table = page.getByLabel('Table', { exact: true });
    const lines = Array.from({ length: 20 }, (_, i) => `new-${i}\tNew ${i}\t${i === 7 ? 'high' : i}`);
    await table.fill(['slug\tname\ttier', ...lines, 'shop\tTaken\t1'].join('\n'));
    const preview = page.getByRole('table', { name: 'Preview' }).locator('tbody tr');
    expect(await preview.last().textContent()).toMatch(/22.*shop.*exists/s);
    await button(person, 'Create 20 entities').click();
    await eventually(async () => (await preview.count()) === 2);
    expect(await preview.first().textContent()).toMatch(/new-7.*number/s);
    expect((await admin.get('/v1/blueprints/service/entities')).body).toHaveLength(3 + ODD_NAMES.length + 19);
    // The remaining lines survive a reload.
    await page.reload();
    expect(await table.inputValue()).toBe('slug,name,tier\nnew-7,New 7,high\nshop,Taken,1');
    await table.fill('slug,name,tier\nnew-7,New 7,7');
    await button(person, 'Create 1 entity').click();
    await eventually(async () => (await table.inputValue()) === '');
    const made = (await admin.get('/v1/blueprints/service/entities/new-7')).body;
    expect(made).toMatchObject({ name: 'New 7', fields: { tier: 7 } });
  });

  it('disables deletion of a blueprint with entities, and all changes with a read-only key', async () => {
    const person = await shopVisitor(world.browser, world.url);
    await person.go('/catalog/service');
    await expectDisabled(person, 'Delete', /7 entities/);
    const reader = await readerOf(world.browser, world.url, person.admin);
    await reader.go('/catalog');
    await expectDisabled(reader, 'New blueprint', /read-only/);
    await reader.go('/catalog/service?part=fields');
    await reader.page.getByRole('table', { name: 'Fields' }).waitFor();
    await expectDisabled(reader, 'New field', /read-only/);
    await expectDisabled(reader, 'Remove tier', /read-only/);
  });

  atNight('fits a phone and a wide screen, and is accessible', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const places = ['/catalog', '/catalog/service', '/catalog/service?part=fields', '/catalog/service?part=import'];
    for (const width of [390, 2560]) {
      await person.page.setViewportSize({ width, height: 844 });
      for (const place of places) {
        await person.go(place);
        await expectNoSidewaysScroll(person);
        if (width === 390) expect({ place, found: await axeViolations(person.page) }).toEqual({ place, found: [] });
      }
    }
    expect(person.complaints).toEqual([]);
  });
});
