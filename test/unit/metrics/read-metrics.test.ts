import { describe, expect, it } from 'vitest';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf, checkIdOf, numberOf } from '#lib/keys.ts';
import { MAX_CHECKS, readMetrics } from '#lib/metrics/read-metrics.ts';
import { healthWorld } from '#test/support/health-world.ts';

const PER_ENTITY = 80;

/** Stores `count` equal checks, 80 per entity of the blueprint `service`. `grow` adds more. */
async function fleetOf(count: number, name: string) {
  const world = await healthWorld();
  const { ports, keys, context } = world;
  const check = await world.pushCheck();
  const entity = (await ports.table.get<EntityItem>(keys.entity(context.tenant, check.entity_id)))!;
  const cell = cellOf(check.id);
  let nextNumber = numberOf(check.id) + 1;
  const grow = async (more: number) => {
    const items: (EntityItem | CheckItem)[] = [];
    while (more > 0) {
      const owner = ports.ids.id('ent');
      const ids = Array.from({ length: Math.min(more, PER_ENTITY) }, () =>
        checkIdOf(ports.clock.now(), cell, nextNumber++),
      );
      const checks = Object.fromEntries(ids.map((id) => [id, 'unknown' as const]));
      items.push({ ...entity, ...keys.entity(context.tenant, owner), id: owner, slug: `other-${nextNumber}`, checks });
      for (const id of ids) items.push({ ...check, ...keys.check(context.tenant, id), id, entity_id: owner, name });
      more -= ids.length;
    }
    for (let i = 0; i < items.length; i += 25) await ports.table.putMany(items.slice(i, i + 25));
  };
  await grow(count - 1);
  return { context, grow };
}

const rejection = (why: string) => ({
  code: 'VALIDATION_ERROR',
  details: [{ path: 'blueprint', message: expect.stringContaining(why) }],
});
const infoIn = (text: string): number => text.match(/^fleetwatch_check_info\{/gm)?.length ?? 0;

describe('a scrape', () => {
  it('returns 4,000 checks, and rejects one more', async () => {
    const { context, grow } = await fleetOf(MAX_CHECKS, 'Web');
    expect(infoIn(await readMetrics(context, {}, true))).toBe(4000);
    await grow(1);
    for (const query of [{}, { blueprint: ['service'] }])
      await expect(readMetrics(context, query, true)).rejects.toMatchObject(rejection('more than 4000 checks'));
  });

  it('is rejected if it is larger than a response on AWS, unless it is compressed', async () => {
    const { context } = await fleetOf(MAX_CHECKS, '"'.repeat(200));
    await expect(readMetrics(context, {}, false)).rejects.toMatchObject(rejection('Accept-Encoding: gzip'));
    expect(infoIn(await readMetrics(context, {}, true))).toBe(4000);
  });
});
