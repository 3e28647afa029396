import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { expectNoSidewaysScroll } from './entity-world.ts';
import { watchedEntity } from './incident-world.ts';
import { button } from './person.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('SLOs and the uptime report in a browser', () => {
  const world = browserAndService();

  async function newShop() {
    const admin = await newTenant();
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const [check] = got(await admin.get('/v1/checks'), 200);
    got(await admin.post(`/v1/checks/${check.id}/results`, { success: true, latency_ms: 5 }), 201);
    return { admin, shop, check };
  }

  it('creates, measures, changes and deletes an SLO of a check', async () => {
    const { admin, check } = await newShop();
    const person = await personAt(world.browser, world.url, admin.key, `/checks/${check.id}`);
    const dialog = person.page.getByRole('dialog');
    await button(person, 'New SLO').click();
    await dialog.getByLabel(/^Name/).fill('Checkout works');
    await dialog.getByLabel(/^Target/).fill('2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/0\.99999/).waitFor();
    await dialog.getByLabel(/^Target/).fill('0.999');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await person.page.getByText(/Healthy: 43 min.* of 43 min.* left/).waitFor();
    expect(await axeViolations(person.page)).toEqual([]);
    await expectNoSidewaysScroll(person);
    const card = person.page.locator('.slos');
    await card.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel(/^Target/).fill('0.99');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('99 % in 30 days').waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    await button(person, 'Delete SLO').click();
    await person.page.getByText('No SLOs.').waitFor();
    await eventually(async () => got(await admin.get('/v1/slos'), 200).length === 0);
    expect(person.complaints).toEqual([]);
  });

  it('shows the report of the fleet, and saves it as CSV', async () => {
    const { admin } = await newShop();
    const person = await personAt(world.browser, world.url, admin.key, '/report');
    await person.page
      .getByRole('row', { name: /Web shop/ })
      .getByText('100 %')
      .waitFor();
    expect(await person.page.getByRole('cell', { name: 'no data' }).count()).toBeGreaterThan(0);
    expect(await axeViolations(person.page)).toEqual([]);
    await expectNoSidewaysScroll(person);
    const [file] = await Promise.all([person.page.waitForEvent('download'), button(person, 'Download CSV').click()]);
    const csv = await readFile(await file.path(), 'utf8');
    expect(csv.split('\n')[0]).toContain('entity,blueprint,slug,month');
    expect(csv).toMatch(/^Web shop,shop,web,\d{4}-\d\d,false,/m);
    expect(person.complaints).toEqual([]);
  });
});
