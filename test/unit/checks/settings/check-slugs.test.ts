import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deleteEntity } from '#lib/catalog/change-entity.ts';
import { createCheck, deleteCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type CheckPointer, findCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { CHECK_SLUGS } from '#lib/keys.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Item, Table } from '#lib/platform/ports.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

/** Returns all items of the table. */
const itemsOf = ({ store }: HealthWorld): Item[] =>
  (store.store.db.prepare('SELECT body FROM items').all() as { body: string }[]).map(({ body }) => JSON.parse(body));

/** Returns the stored checks, the pointers to them, and the items that list the slugs of each check. */
function slugsIn(world: HealthWorld) {
  const items = itemsOf(world);
  const checks = items.filter(({ sk }) => sk.startsWith('CHECK#')) as CheckItem[];
  const pointers = items.filter(({ pk }) => pk.includes('#CHECKSLUGS#')) as CheckPointer[];
  const slugItems = items.filter(({ sk }) => sk.startsWith(CHECK_SLUGS));
  return { checks, pointers, slugItems };
}

/** Returns violations: checks whose slug does not lead to them. */
function violations(world: HealthWorld): string[] {
  const { checks, pointers, slugItems } = slugsIn(world);
  return checks.flatMap(({ id, slug }) => {
    if (slug === undefined) return [];
    const leads = pointers.find(({ sk }) => sk === slug)?.check_id === id;
    const isListed = slugItems.some(({ pk, sk }) => pk.endsWith(`#${id}`) && sk === `${CHECK_SLUGS}${slug}`);
    return leads && isListed ? [] : [`${id} has ${slug}, which leads elsewhere`];
  });
}

describe('the slug of a deleted check', () => {
  it.each(['the check', 'its entity'])('is removed after the deletion of %s', async (what) => {
    const world = await healthWorld();
    const { context } = world;
    const entity = await world.entity();
    const check = await world.pushCheck({ slug: 'backup', entity_id: entity.id });
    if (what === 'the check') await deleteCheck(context, check);
    else await deleteEntity(context, 'service', entity.slug);
    expect(await findCheckBySlug(context, 'backup')).toBeUndefined();
    await reclaimCheck(world, { tenant_id: check.tenant_id, check_id: check.id });
    expect(slugsIn(world)).toEqual({ checks: [], pointers: [], slugItems: [] });
  });

  it('stays with the check that has taken it since', async () => {
    const world = await healthWorld();
    const { context } = world;
    const gone = await world.pushCheck({ slug: 'backup' });
    await deleteCheck(context, gone);
    const heir = await world.pushCheck({ slug: 'backup' });
    await reclaimCheck(world, { tenant_id: gone.tenant_id, check_id: gone.id });
    expect(await findCheckBySlug(context, 'backup')).toMatchObject({ id: heir.id });
    const { pointers, slugItems } = slugsIn(world);
    expect([pointers, slugItems].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('is removed after any number of interruptions', async () => {
    const world = await healthWorld();
    const check = await world.pushCheck({ slug: 'backup' });
    await deleteCheck(world.context, check);
    const { transact } = world.store;
    for (let cutOff = 1; cutOff <= 3; cutOff++) {
      let left = cutOff;
      const table: Table = {
        ...world.store,
        transact: (writes) => (--left === 0 ? Promise.reject(new Error('crash')) : transact(writes)),
      };
      const env = { ...world, ports: { ...world.ports, table } };
      await reclaimCheck(env, { tenant_id: check.tenant_id, check_id: check.id }).catch(() => {});
    }
    await reclaimCheck(world, { tenant_id: check.tenant_id, check_id: check.id });
    expect(slugsIn(world)).toEqual({ checks: [], pointers: [], slugItems: [] });
  });
});

/** Change of a check, in a process of its own. */
type Act = { act: 'make' | 'take' | 'leave' | 'delete' | 'reclaim'; check: number; slug: string };

const act: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom('make', 'take', 'take', 'leave', 'delete', 'reclaim'),
  check: fc.nat(2),
  slug: fc.constantFrom('a', 'b'),
});

describe('slugs that are taken, left and freed concurrently', () => {
  it('lead to the only check that has them, at any time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 5 }), fc.scheduler(), async (acts, scheduler) => {
        const world = await healthWorld();
        const { store, context } = world;
        const checks = [await world.pushCheck({ slug: 'a' }), await world.pushCheck(), await world.pushCheck()];
        const { entity_id } = checks[0]!;
        const wrong: string[] = [];
        const pause = (what: string) => scheduler.schedule(Promise.resolve(), what);
        const process = (): StateContext => {
          const table: Table = {
            ...store,
            get: (key) => pause('get').then(() => store.get(key)),
            transact: async (writes) => {
              await pause('transact');
              const done = await store.transact(writes);
              wrong.push(...violations(world));
              return done;
            },
          };
          return { ...context, ports: { ...context.ports, table } };
        };
        const run = ({ act, check, slug }: Act): Promise<unknown> => {
          const own = process();
          const of = checks[check]!;
          switch (act) {
            case 'make':
              return createCheck(own, { check_type: 'push', entity_id, slug });
            case 'take':
              return updateCheck(own, of, { slug });
            case 'leave':
              return updateCheck(own, of, { slug: '' });
            case 'delete':
              return deleteCheck(own, of);
            case 'reclaim':
              return reclaimCheck(own, { tenant_id: of.tenant_id, check_id: of.id });
          }
        };
        const refused = (error: unknown) => {
          if (!(error instanceof AppError && ['CONFLICT', 'NOT_FOUND'].includes(error.code))) throw error;
        };
        const done = Promise.all(acts.map((one) => run(one).catch(refused)));
        await scheduler.waitFor(done);
        expect(wrong).toEqual([]);
        for (const { id, tenant_id } of checks) await reclaimCheck(world, { tenant_id, check_id: id });
        const left = slugsIn(world);
        const having = left.checks.filter(({ slug }) => slug !== undefined);
        expect([left.pointers, left.slugItems].map(({ length }) => length)).toEqual([having.length, having.length]);
      }),
      { numRuns: 60 },
    );
  });
});
