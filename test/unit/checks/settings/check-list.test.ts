import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type CheckFilter, checkList, matchesCheck } from '#lib/checks/settings/check-list.ts';
import { checkIdOf, keyTable } from '#lib/keys.ts';
import { gather } from '#lib/platform/http/paging.ts';
import type { Item } from '#lib/platform/ports.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const TEAMS = ['payments', 'ops'];

/** Properties of a generated check. */
type CheckDraft = { state: CheckState; type: 'push' | 'tcp'; team?: string; name?: string; enabled: boolean };

/** Creates an account with these entities and checks, in this number of `buckets`. `read` counts entities read. */
async function fleetOf(entities: { team?: string; checks: CheckDraft[] }[], buckets: number) {
  const read = { entities: 0 };
  const world = memoryWorld((table) => ({
    ...table,
    query: async (query) => {
      const page = await table.query<Item>(query);
      if (query.partition.includes('#ENTITIES#')) read.entities += page.items.length;
      return page as never;
    },
  }));
  const keys = keyTable({ BUCKETS: buckets, SHARDS: 1 });
  const { tenant, ...own } = (await world.account()).context;
  const context: Context = { ...own, tenant, keys };
  const all: { check: CheckItem; entity: EntityItem }[] = [];
  const items: Item[] = [];
  for (const [i, { team, checks }] of entities.entries()) {
    const id = `ent_${String(i).padStart(6, '0')}`;
    const entity = {
      ...keys.entity(tenant, id),
      id,
      labels: team === undefined ? {} : { team },
      checks: {} as Record<string, CheckState>,
    } as EntityItem;
    for (const [n, { state, type, team: own, name, enabled }] of checks.entries()) {
      const check = {
        ...keys.check(tenant, checkIdOf(n, `cell${String(i % 7).padStart(8, '0')}`, i)),
        id: checkIdOf(n, `cell${String(i % 7).padStart(8, '0')}`, i),
        entity_id: id,
        check_type: type,
        execution_mode: type === 'push' ? 'push' : 'pull',
        ...(name !== undefined && { name }),
        ...(own !== undefined && { labels: { team: own } }),
        enabled,
        state,
        config: { host: 'shop.test', port: 1 },
      } as unknown as CheckItem;
      entity.checks[check.id] = state;
      items.push(check);
      all.push({ check, entity });
    }
    items.push(entity);
  }
  for (let i = 0; i < items.length; i += 500) await world.store.putMany(items.slice(i, i + 500));
  read.entities = 0;
  return { context, all, read };
}

/** Reads all pages of a list. Returns the ids of the checks, and the number of pages. */
async function paged(context: Context, wanted: CheckFilter, limit: number) {
  const found: string[] = [];
  let pages = 0;
  let after: string | undefined;
  do {
    const list = checkList(context, async (checks) => checks.map(({ check }) => check.id), { filter: wanted });
    const page = await gather(list, { after, limit });
    expect(page.values.length).toBeLessThanOrEqual(limit);
    found.push(...page.values);
    after = page.next;
    pages++;
  } while (after !== undefined);
  return { found, pages };
}

const draft: fc.Arbitrary<CheckDraft> = fc.record(
  {
    state: fc.constantFrom(...CheckState.options),
    type: fc.constantFrom('push' as const, 'tcp' as const),
    team: fc.constantFrom(...TEAMS),
    name: fc.constantFrom('Cart', 'mail'),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['state', 'type', 'enabled'] },
);
const oneOrTwo = <T>(values: T[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const filter: fc.Arbitrary<CheckFilter> = fc.record(
  {
    state: oneOrTwo([...CheckState.options]),
    type: oneOrTwo(['push', 'tcp']),
    label: fc.array(
      oneOrTwo(TEAMS).map((teams) => teams.map((value) => ({ key: 'team', value }))),
      { maxLength: 2 },
    ),
    enabled: fc.constantFrom('true' as const, 'false' as const),
    q: fc.constantFrom('CART', 'shop.test', 'none'),
  },
  { requiredKeys: [] },
);

describe('checkList', () => {
  it('returns all matching checks once, by entity, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            team: fc.option(fc.constantFrom(...TEAMS), { nil: undefined }),
            checks: fc.array(draft, { maxLength: 4 }),
          }),
          { maxLength: 60 },
        ),
        filter,
        fc.integer({ min: 1, max: 70 }),
        fc.constantFrom(1, 4),
        async (entities, wanted, limit, buckets) => {
          const { context, all } = await fleetOf(entities as never, buckets);
          const { found } = await paged(context, wanted, limit);
          const expected = all.filter(({ check, entity }) => matchesCheck(check, entity, wanted, context.caller));
          expect(found).toEqual(expected.map(({ check }) => check.id));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('scans about 1,000 entities per request with a filter, and continues from there', async () => {
    const push = { state: 'unknown', type: 'push', enabled: true } as const;
    const entities = Array.from({ length: 2_500 }, (_, i) => ({
      checks: [{ ...push, name: i === 2_400 ? 'far' : 'near' }],
    }));
    for (const buckets of [1, 4]) {
      const { context, read } = await fleetOf(entities, buckets);
      const list = checkList(context, async (found) => found, { filter: { q: 'far' } });
      const page = await gather(list, {});
      expect(page).toMatchObject({ values: [], next: expect.any(String) });
      expect(read.entities).toBeLessThan(2_000);
      const { found, pages } = await paged(context, { q: 'far' }, 1_000);
      expect(found).toHaveLength(1);
      expect(pages).toBe(3);
    }
  });

  it('reads fewer than two entities per returned check', async () => {
    const push = { state: 'unknown', type: 'push', enabled: true } as const;
    for (const buckets of [1, 4]) {
      const { context, read } = await fleetOf(
        Array.from({ length: 400 }, () => ({ checks: [push] })),
        buckets,
      );
      await gather(
        checkList(context, async (found) => found),
        { limit: 200 },
      );
      expect(read.entities).toBeLessThan(400);
    }
  });

  it('reads only the checks in the states of the filter', async () => {
    const states = (count: number) =>
      Array.from(
        { length: count },
        (_, i) => ({ state: i === 0 ? 'down' : 'up', type: 'push', enabled: true }) as CheckDraft,
      );
    const { context } = await fleetOf(
      Array.from({ length: 30 }, () => ({ checks: states(4) })),
      1,
    );
    const { getMany } = context.ports.table;
    const asked: number[] = [];
    const table = {
      ...context.ports.table,
      getMany: ((keys: never[]) => {
        asked.push(keys.length);
        return getMany(keys);
      }) as typeof getMany,
    };
    const own = { ...context, ports: { ...context.ports, table } };
    const page = await gather(
      checkList(own, async (found) => found, { filter: { state: ['down'] } }),
      {},
    );
    expect(page.values).toHaveLength(30);
    expect(asked.reduce((sum, one) => sum + one, 0)).toBe(30);
  });
});
