import { describe, expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { report, slackChannel, watchedEntity } from './incident-world.ts';
import { personAt } from './places.ts';

describe.skipIf(!binary)('alert explanation in a browser', () => {
  const world = browserAndService();

  it('shows the root cause and its evaluations, and links to the incident', async () => {
    const admin = await newTenant();
    const database = await watchedEntity(admin, 'database', 'Database', ['answers']);
    const shop = await watchedEntity(admin, 'web', 'Web shop', ['checkout']);
    const relation = { from_entity_id: shop.id, to_entity_id: database.id, relation_type: 'depends_on' };
    got(await admin.post('/v1/relations', relation), 201);
    const [check] = shop.checks;
    await slackChannel(admin, check!, 'https://127.77.0.9/first');
    await report(admin, database.checks[0]!, 'disk is full');
    await report(admin, check!, 'card declined');
    await eventually(async () => (await admin.get(`/v1/checks/${check}/explain`)).body.evaluations.length > 0, 15_000);

    const { page, complaints } = await personAt(world.browser, world.url, admin.key, `/checks/${check}`);
    await page.getByText('Explanation for now or another time').click();
    const why = page.locator('section', { hasText: 'Explain alerts' });
    await why.getByText(/cause evaluation/).click();
    await why.getByText(/caused by Database/).waitFor();
    await why.getByText(/Database failed, from the state of its checks/).waitFor();
    const rules = why.locator('.rules > li');
    expect(await rules.filter({ hasText: 'Dependencies' }).textContent()).toMatch(/its entity depends on 1 other/);
    await why.getByRole('link', { name: 'Open incident' }).click();
    await page.getByRole('heading', { level: 1, name: /Database/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});
