import { describe, expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { arrive, personAt } from './places.ts';

describe.skipIf(!binary)('on-call user in a browser', () => {
  const world = inBrowser();

  it('signs in with a key, sees the failure, and opens its check', async () => {
    const admin = await newTenant();
    const entity = await newEntity(admin);
    const check = await newCheck(admin, {
      entity_id: entity.id,
      name: 'nightly backup',
      interval_seconds: 3600,
      failure_threshold: 1,
    });
    const report = async (result: object) =>
      got(await admin.post(`/v1/checks/${check.id}/results`, { latency_ms: 5, status_code: 0, ...result }), 201);
    await report({ success: true });

    const { url } = await target();
    const person = await personAt(world.browser, url, admin.key);
    const { page, complaints } = person;
    const row = page.getByRole('table', { name: 'Entities' }).locator('tbody tr').first();
    await row.waitFor();
    await report({ success: false, error_message: 'no space left on device' });
    await eventually(async () => /Down/.test((await row.textContent()) ?? ''));
    expect(await row.textContent()).toMatch(/no space left on device/);
    await arrive(person, `/checks/${check.id}`);
    const { name } = got(await admin.get(`/v1/checks/${check.id}`), 200);
    await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor();
    await eventually(async () => /no space left on device/.test((await page.locator('main').textContent()) ?? ''));
    expect(complaints).toEqual([]);
  });
});
