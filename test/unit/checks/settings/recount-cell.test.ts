import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCheck, deleteCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type CellItem, isProbed, recountCell } from '#lib/checks/settings/cells.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { CHECKS, cellOf, numberOf, under } from '#lib/keys.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { type ProbeEntry, probeEntryId } from '#lib/schedule/entries.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const HTTP = { check_type: 'http', target_url: 'https://example.com/' };
const INTERVALS = [60, 300];

/** Returns the checks of a cell, their stored number, and the schedule entries by interval. */
async function storedCell({ store, keys, context }: HealthWorld, cell: string) {
  const { tenant } = context;
  const checks = await allOf<CheckItem>(store, { partition: keys.ofCell(tenant, cell), ...under(CHECKS) });
  const item = await store.get<CellItem>(keys.cell(tenant, cell));
  const entries = await store.getMany<ProbeEntry>(
    INTERVALS.map((interval) => keys.entry('probe', tenant, probeEntryId(cell, interval))),
  );
  // An empty cell has been deleted.
  return {
    checks,
    members: item?.members ?? 0,
    entries: new Map(INTERVALS.map((interval, i) => [interval, entries[i]])),
  };
}

/** Returns violations: intervals without a schedule entry, or more checks than the cell counts. */
async function violations(world: HealthWorld, cell: string): Promise<string[]> {
  const { checks, members, entries } = await storedCell(world, cell);
  const due = (interval: number) => checks.some((check) => isProbed(check, interval));
  return [
    ...INTERVALS.filter((interval) => due(interval) && !entries.get(interval)).map((each) => `no entry of ${each} s`),
    ...(checks.length > members ? [`${checks.length} checks in ${members} places`] : []),
  ];
}

describe('recountCell', () => {
  it('removes the entry of an interval without checks, and corrects the counts of others', async () => {
    const world = await healthWorld();
    const { context } = world;
    const entity_id = (await world.entity()).id;
    const checks: CheckItem[] = [];
    for (let n = 0; n < 3; n++) checks.push(await world.check({ entity_id, interval_seconds: 60 }));
    const cell = { tenant_id: context.tenant, cell: cellOf(checks[0]!.id) };
    const counts = async () => {
      const { entries } = await storedCell(world, cell.cell);
      return INTERVALS.map((interval) => entries.get(interval)?.checks);
    };
    await updateCheck(context, checks[0]!, { interval_seconds: 300 });
    expect(await counts()).toEqual([3, 1]);
    await recountCell(world, cell);
    expect(await counts()).toEqual([2, 1]);
    await updateCheck(context, checks[1]!, { interval_seconds: 300 });
    await updateCheck(context, checks[2]!, { enabled: false });
    await recountCell(world, cell);
    expect(await counts()).toEqual([undefined, 2]);
  });

  it('writes nothing if all counts are correct', async () => {
    const world = await healthWorld();
    const check = await world.check();
    const before = world.requests.writes;
    await recountCell(world, { tenant_id: check.tenant_id, cell: cellOf(check.id) });
    expect(world.requests.writes).toBe(before);
  });
});

/** Change of the checks of a cell, in a process of its own. */
type Act =
  | { act: 'create'; interval: number }
  | { act: 'interval'; check: number; interval: number }
  | { act: 'enable' | 'disable' | 'delete'; check: number }
  | { act: 'count' };

const check = fc.nat(2);
const interval = fc.constantFrom(...INTERVALS);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant('create' as const), interval }),
  fc.record({ act: fc.constant('interval' as const), check, interval }),
  fc.record({ act: fc.constantFrom('enable' as const, 'disable' as const, 'delete' as const), check }),
  fc.record({ act: fc.constant('count' as const) }),
);

describe('recountCell during concurrent changes', () => {
  it('never drops a needed entry or place, and never reuses a number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.scheduler(),
        async (acts, hasEmptyInterval, scheduler) => {
          const world = await healthWorld();
          const { store, context } = world;
          const entity_id = (await world.entity()).id;
          const checks: CheckItem[] = [];
          for (const interval_seconds of [60, 60, 300]) checks.push(await world.check({ entity_id, interval_seconds }));
          const cell = { tenant_id: context.tenant, cell: cellOf(checks[0]!.id) };
          // The recount has work: the place of a deleted check and, sometimes, an entry without checks.
          await deleteCheck(context, await world.pushCheck({ entity_id }));
          if (hasEmptyInterval) await updateCheck(context, checks[2]!, { interval_seconds: 60 });
          const numbers = [0, 1, 2, 3];
          const wrong: string[] = [];
          const pause = (what: string) => scheduler.schedule(Promise.resolve(), what);

          /** Returns the context of a process. Others can run before each of its table calls and after each wait. */
          const process = (): StateContext => {
            const table: Table = {
              ...store,
              get: (key) => pause('get').then(() => store.get(key)),
              getMany: ((keys: never) => pause('getMany').then(() => store.getMany(keys))) as Table['getMany'],
              query: (query) => pause('query').then(() => store.query(query)),
              transact: async (writes) => {
                await pause('transact');
                const done = await store.transact(writes);
                wrong.push(...(await violations(world, cell.cell)));
                return done;
              },
            };
            const clock = { ...world.ports.clock, sleep: () => pause('sleep') };
            return { ...context, ports: { ...world.ports, table, clock } };
          };
          const run = async (one: Act): Promise<void> => {
            const own = process();
            if (one.act === 'count') return recountCell(own, cell);
            if (one.act === 'create') {
              const made = await createCheck(own, { ...HTTP, entity_id, interval_seconds: one.interval });
              numbers.push(numberOf(made.id));
              return;
            }
            const of = checks[one.check]!;
            if (one.act === 'delete') {
              await deleteCheck(own, of);
              return reclaimCheck(own, { tenant_id: of.tenant_id, check_id: of.id });
            }
            const patch =
              one.act === 'interval' ? { interval_seconds: one.interval } : { enabled: one.act === 'enable' };
            await updateCheck(own, of, patch).catch((error) => expect(error).toMatchObject({ code: 'NOT_FOUND' }));
          };
          await scheduler.waitFor(
            Promise.all([...acts, { act: 'count' } as const, { act: 'count' } as const].map(run)),
          );
          expect(wrong).toEqual([]);
          expect(new Set(numbers).size).toBe(numbers.length);
          const { checks: left, members } = await storedCell(world, cell.cell);
          expect(members).toBe(left.length);

          await recountCell(world, cell);
          const { entries } = await storedCell(world, cell.cell);
          for (const each of INTERVALS) {
            const due = left.filter((one) => isProbed(one, each)).length;
            expect(entries.get(each)?.checks ?? 0).toBe(due);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
