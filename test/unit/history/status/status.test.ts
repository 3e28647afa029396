import { beforeEach, describe, expect, it } from 'vitest';
import { readStatus } from '#lib/history/status/status.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

describe('the status', () => {
  it('lists every entity once over all pages, and counts all of them on each', async () => {
    const ids: string[] = [];
    const outcomes = [true, false, undefined];
    for (let i = 0; i < 25; i++) {
      const entity = await world.entity();
      ids.push(entity.id);
      const outcome = outcomes[i % 3];
      if (outcome === undefined) continue;
      await world.push(await world.pushCheck({ entity_id: entity.id, failure_threshold: 1 }), outcome);
      if (i % 6 === 0) await world.push(await world.pushCheck({ entity_id: entity.id, failure_threshold: 1 }), false);
    }
    const counts = { total: 25, up: 4, degraded: 5, down: 8, unknown: 8 };
    const whole = await readStatus(world.context);
    expect(whole).toMatchObject({ status: counts, next: undefined });

    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { status, next } = await readStatus(world.context, { after, limit: 7 });
      expect(status).toMatchObject(counts);
      seen.push(...status.entities.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen).toEqual([...ids].sort());
    expect(whole.status.entities.map(({ id }) => id)).toEqual(seen);
  });

  it('reads each entity less than twice on average without counts, for any number of pages', async () => {
    const count = 400;
    for (let i = 0; i < count; i++) await world.entity();
    let items = 0;
    const { query } = world.ports.table;
    world.ports.table.query = (async (request) => {
      const page = await query(request);
      if (request.partition.includes('#ENTITIES#')) items += page.items.length;
      return page;
    }) as typeof query;
    let seen = 0;
    let after: string | undefined;
    do {
      const { status, next } = await readStatus(world.context, { after, limit: 100, counts: false });
      expect(Object.keys(status)).toEqual(['entities']);
      seen += status.entities.length;
      after = next;
    } while (after !== undefined);
    expect(seen).toBe(count);
    expect(items).toBeLessThan(2 * count);
  });

  it('counts nothing for an empty account', async () => {
    expect((await readStatus(world.context)).status).toEqual({
      entities: [],
      total: 0,
      up: 0,
      degraded: 0,
      down: 0,
      unknown: 0,
    });
  });

  it('shows no entity of another account', async () => {
    await world.entity();
    const other = await world.account({ email: 'bob@example.com' });
    expect((await readStatus(other.context)).status.total).toBe(0);
  });
});
