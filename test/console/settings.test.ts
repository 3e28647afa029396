import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, expectDisabled } from './person.ts';
import { newMember, openTab, row, settingsAt } from './settings.ts';

describe.skipIf(!binary)('settings pages in a browser', () => {
  const world = browserAndService();

  it('disables settings for a viewer, with the reason', async () => {
    const admin = await newTenant();
    const viewer = await newMember(world.url, admin, 'viewer', 'Vera');
    const person = await settingsAt(world.browser, world.url, 'team', viewer);
    const { page, complaints } = person;
    await row(page, 'Team', 'Vera').getByText('you', { exact: true }).waitFor();
    await expectDisabled(person, 'Create invitation', /needs the admin role; you are a viewer/);
    expect(await page.getByLabel(/^Role of/).count()).toBe(0);
    await openTab(page, 'account');
    await expectDisabled(person, 'Save', /needs the admin role/);
    await openTab(page, 'keys');
    // A viewer sees only their own keys.
    expect(await page.getByRole('table', { name: 'API keys' }).locator('tbody tr').count()).toBe(1);
    await openTab(page, 'audit');
    await page.getByText(/Access entries are hidden/).waitFor();
    expect(await page.locator('.audit').textContent()).not.toContain('invited');

    const reader = (await admin.post('/v1/auth/keys', { label: 'reader', is_read_only: true })).body;
    const other = await settingsAt(world.browser, world.url, 'keys', reader);
    await other.page
      .getByText(/This key is read-only/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('filters the audit log by the query of the URL and by fields, shows changes, and exports matching entries', async () => {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    await admin.put('/v1/blueprints/service', { name: '<script>alert(1)</script>' });
    await admin.post('/v1/blueprints', { slug: 'host', name: 'Host' });
    const { page, complaints } = await settingsAt(world.browser, world.url, 'audit?action=blueprint.update', admin);
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
    await entries.first().waitFor();
    expect(await entries.count()).toBe(1);
    await entries.locator('summary').click();
    const change = entries.getByRole('row').filter({ hasText: 'name' });
    expect(await change.locator('td').allInnerTexts()).toEqual(['Service', '<script>alert(1)</script>']);
    const download = page.waitForEvent('download');
    await button({ page }, 'Export as NDJSON').click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(['blueprint.update']);

    await page.getByLabel('Action', { exact: true }).selectOption('created');
    await eventually(async () => (await entries.count()) === 2);
    expect(page.url()).toContain('action=blueprint.create');
    await page.getByLabel('Object id').fill('host');
    await page.keyboard.press('Enter');
    await eventually(async () => (await entries.count()) === 1);
    await button({ page }, 'Show all').click();
    await eventually(async () => (await entries.count()) > 3);
    expect(page.url()).not.toContain('?');
    expect(complaints).toEqual([]);
  });

  it('changes the contact of the account and the name of the user, and shows the use of limits', async () => {
    const admin = await newTenant();
    await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    const { page } = await settingsAt(world.browser, world.url, 'account', admin);
    expect(await row(page, 'Limits', 'Blueprints').locator('td').allInnerTexts()).toEqual([
      'Blueprints',
      '',
      '1',
      '50',
    ]);
    await page.getByLabel(/^Contact/).fill('no address');
    await button({ page }, 'Save').click();
    await page
      .locator('.field-error')
      .getByText(/must be an e-mail address/)
      .waitFor();
    await page.getByLabel(/^Contact/).fill('ops@example.com');
    await button({ page }, 'Save').click();
    await page.getByText('The account is changed.').waitFor();
    expect((await admin.get('/v1/me')).body).toMatchObject({ email: 'ops@example.com' });
    await openTab(page, 'sign-in');
    await page.getByLabel(/^Your name/).fill('Ann');
    await page.getByLabel(/^Monthly report/).selectOption('true');
    await button({ page }, 'Save').click();
    await page.getByText('Your settings are saved.').waitFor();
    expect((await admin.get('/v1/me')).body.user).toMatchObject({ name: 'Ann', monthly_report: true });
  });

  atNight('fits a phone and is accessible', async () => {
    const admin = await newTenant();
    await newMember(world.url, admin, 'member', 'x'.repeat(60));
    await admin.post('/v1/auth/keys', { label: 'long '.repeat(39), scopes: ['read', 'write', 'push', 'respond'] });
    const { page } = await settingsAt(world.browser, world.url, 'account', admin);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const part of ['account', 'team', 'keys', 'sign-in', 'audit', 'look']) {
      await openTab(page, part);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), part).toBe(0);
      expect(await axeViolations(page), part).toEqual([]);
    }
  });
});
