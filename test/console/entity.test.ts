import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { eventually } from '#test/support/eventually.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll, readerOf, report, shopVisitor } from './entity-world.ts';
import { button, expectDisabled, pollNow, unfold } from './person.ts';

describe.skipIf(!binary)('entity page in a browser', () => {
  const world = browserAndService();

  it('shows state, fields, checks, relations and state changes, and updates them', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin, checks, complaints } = person;
    await go('/entities/service/shop');
    await page.getByRole('heading', { name: 'Web shop', level: 1 }).waitFor();
    expect(await page.locator('.state-line').textContent()).toMatch(/Down.*for .*since.*disk is full/s);
    const link = page.getByRole('link', { name: 'https://wiki.example.com/shop' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await page.locator('.facts').textContent()).toMatch(/ownerplatform team.*tagseu, web/s);
    const check = page.getByRole('table', { name: 'Checks' }).locator('tbody tr');
    expect(await check.textContent()).toMatch(/Down.*heartbeat.*disk is full.*Push/s);
    await check.getByRole('img', { name: /^Last 24 h: .*down/ }).waitFor();
    const upstream = page.getByRole('region', { name: 'Upstream' });
    expect(await upstream.textContent()).toMatch(/Down.*Public API.*depends_on/s);
    expect(await page.getByRole('region', { name: 'Downstream' }).textContent()).toContain('No downstream entities');
    expect(await page.locator('.happened li').count()).toBe(1);
    // A change by another client appears without a click.
    await report(admin, checks[0]!, true);
    await pollNow(person);
    await eventually(async () => /Up/.test((await page.locator('.state-line').textContent()) ?? ''));
    await eventually(async () => (await page.locator('.happened li').count()) === 2);
    expect(await page.locator('.happened li').first().textContent()).toMatch(/Down → Up.*heartbeat/s);
    expect(complaints).toEqual([]);
  });

  it('edits an entity: shows errors at fields, keeps input, and does not store defaults', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin } = person;
    await go('/entities/service/shop');
    await button(person, 'Edit').click();
    await page.getByLabel(/^Name/).fill('Shop (EU)');
    await page.getByLabel('runbook').fill('javascript:alert(1)');
    await button(person, 'Save').click();
    await page.locator('.field-error').waitFor();
    expect(await page.locator('.field', { hasText: 'runbook' }).textContent()).toMatch(/http or https/);
    await page.reload();
    await button(person, 'Edit').click();
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('Shop (EU)');
    await page.getByLabel('runbook').fill('');
    await button(person, 'Save').click();
    await page.getByRole('heading', { name: 'Shop (EU)', level: 1 }).waitFor();
    await admin.put('/v1/blueprints/service/fields/owner', {
      name: 'owner',
      field_type: 'string',
      default_value: 'new team',
    });
    const { body } = await admin.get('/v1/blueprints/service/entities/shop');
    expect(body.fields).toEqual({ owner: 'new team', tier: 1, tags: ['eu', 'web'] });
  });

  it('adds and removes relations', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin } = person;
    await go('/entities/service/database');
    await button(person, 'Add relation').click();
    await page.getByLabel('Direction').selectOption('downstream');
    await button(person, 'Add').click();
    await page
      .getByRole('group', { name: /^Entities/ })
      .locator('.field-error')
      .waitFor();
    for (const name of ['Web shop', 'Public API']) {
      await page.getByRole('combobox', { name: /^Add entity/ }).fill(name);
      await page.getByRole('option', { name }).click();
    }
    await page.getByLabel(/^Type/).fill('Reads from');
    await button(person, 'Add').click();
    await page.getByText('lower-case letters').first().waitFor();
    await page.getByLabel(/^Type/).fill('reads_from');
    await unfold(page, 'Redundancy');
    await page.getByLabel(/^Group/).fill('replicas');
    expect(await axeViolations(page)).toEqual([]);
    await button(person, 'Add').click();
    await page.locator('.field', { hasText: 'Group' }).getByText('requires propagates_failure').waitFor();
    await page.getByLabel(/^Passes on failures/).selectOption('yes');
    await page.getByLabel(/^Upstream fails when/).selectOption('degraded');
    await page.getByLabel(/^Required healthy members/).fill('1');
    await button(person, 'Add').click();
    const side = page.getByRole('region', { name: 'Downstream' });
    await side
      .getByText('reads_from, passes on failures, passes on the failure of any check, group replicas (1 required)')
      .nth(1)
      .waitFor();
    await button(person, 'Remove depends_on: Public API').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove relation' }).click();
    await eventually(async () => (await side.getByRole('listitem').count()) === 2);
    const { body } = await admin.get('/v1/relations');
    expect(body.map((one: { relation_type: string }) => one.relation_type).sort()).toEqual([
      'depends_on',
      'reads_from',
      'reads_from',
    ]);
  });

  it('deletes an entity after a confirmation that names its checks and relations', async () => {
    const person = await shopVisitor(world.browser, world.url);
    const { page, go, admin } = person;
    await go('/entities/service/api');
    await button(person, 'Delete').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toMatch(/1 check .*2 relations/s);
    await dialog.getByRole('button', { name: 'Delete Public API' }).click();
    await eventually(async () => page.url().endsWith('#/catalog/service'));
    await eventually(async () => (await page.getByRole('link', { name: 'Public API' }).count()) === 0);
    expect((await admin.get('/v1/blueprints/service/entities/api')).status).toBe(404);
    await go('/entities/service/api');
    await page.getByText('Entity not found').waitFor();
  });

  it('disables changes for a read-only key, with the reason', async () => {
    const { admin } = await shopVisitor(world.browser, world.url);
    const reader = await readerOf(world.browser, world.url, admin);
    await reader.go('/entities/service/shop');
    for (const name of ['Edit', 'Delete', 'Add relation', 'Remove depends_on: Public API']) {
      await expectDisabled(reader, name, /read-only/);
    }
  });

  atNight('fits a phone and a wide screen, and is accessible', async () => {
    const person = await shopVisitor(world.browser, world.url);
    for (const width of [390, 2560]) {
      await person.page.setViewportSize({ width, height: 844 });
      for (const slug of ['shop', 'odd-0', 'odd-2']) {
        await person.go(`/entities/service/${slug}`);
        await expectNoSidewaysScroll(person);
      }
    }
    await person.go('/entities/service/api');
    expect(await axeViolations(person.page)).toEqual([]);
    await button(person, 'Add relation').click();
    expect(await axeViolations(person.page)).toEqual([]);
    expect(person.complaints).toEqual([]);
  });
});
