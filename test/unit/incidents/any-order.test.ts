import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import type { IncidentEntity, IncidentItem } from '#lib/incidents/incident.ts';
import { updateIncidentItem } from '#lib/incidents/update-incident-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const TENANT = 'acc_a';
const ROOT = 'ent_0';
const START = Date.UTC(2026, 10, 21, 5);

/** Random changes of two checks per entity; each change is numbered within its entity. */
const histories = fc
  .array(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 })
  .map((entities) =>
    entities.flatMap((flips, entity) => {
      const down = [false, false];
      return flips.map((second, n) => {
        const check = second ? 1 : 0;
        down[check] = !down[check];
        const count = down.filter(Boolean).length;
        return { entity, check, seq: n + 1, isDown: down[check]!, count, at: START + (n * 3 + entity) * 1000 };
      });
    }),
  );
type Change = { entity: number; check: number; seq: number; isDown: boolean; count: number; at: number };

function world() {
  const { ports, keys, sent } = memoryWorld();
  const itemOf = ({ entity, check, seq, isDown, count, at }: Change) => {
    const check_id = `chk_${entity}${check}`;
    const state: EntityState = count === 0 ? 'up' : count === 1 ? 'degraded' : 'down';
    return {
      ...keys.transition(TENANT, check_id, at, seq),
      ...{ v: 'v', tenant_id: TENANT, check_id, entity_id: `ent_${entity}`, entity_name: `Entity ${entity}`, seq },
      ...{ transition_id: `trn_${entity}x${seq}`, timestamp: iso(at), cause: 'result', error_message: '' },
      ...{ check_from_state: isDown ? 'up' : 'down', check_to_state: isDown ? 'down' : 'up', check_label: 'check' },
      ...{ to_state: state, outage_started_at: isDown ? iso(at - 5000) : null },
      ...(count > 0 && { down_checks: count }),
      incident: { id: 'inc_0mi8w2c1kx', root_entity_id: ROOT },
    } as unknown as DecidedTransition;
  };
  const put = (items: Item[]) => ports.table.putMany(items);
  const update = ({ tenant_id, check_id, sk }: DecidedTransition) =>
    updateIncidentItem({ ports, keys }, { tenant_id, check_id, sk });
  /** Returns the stored items without versions and expiry times. */
  async function stored() {
    const incident = await ports.table.get<IncidentItem>(keys.incident(TENANT, 'inc_0mi8w2c1kx'));
    const under = await allOf<IncidentEntity>(ports.table, { partition: keys.ofIncident(TENANT, 'inc_0mi8w2c1kx') });
    const unresolved = await allOf(ports.table, { partition: keys.unresolvedIncidents(TENANT) });
    const plain = [incident!, ...under, ...unresolved].map(({ v: _v, expires_at: _expires, ...item }) => item);
    return plain.map((item) => ({ ...item, recheck_at: undefined }));
  }
  const root = { ...keys.entity(TENANT, ROOT), name: 'Database' };
  return { root, itemOf, put, update, stored, sent };
}

async function afterwards(history: Change[], order: Change[], atOnce: boolean) {
  const { root, itemOf, put, update, stored, sent } = world();
  await put([root, ...history.map(itemOf)]);
  if (atOnce) await Promise.all(order.map((change) => update(itemOf(change))));
  else for (const change of order) await update(itemOf(change));
  return { stored: await stored(), rechecks: sent.length };
}

describe('updateIncidentItem', () => {
  it('stores the same for any order, repetition and concurrency of transitions', () =>
    fc.assert(
      fc.asyncProperty(
        histories.chain((history) =>
          fc.record({
            history: fc.constant(history),
            again: fc.subarray(history),
            seed: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
            atOnce: fc.boolean(),
          }),
        ),
        async ({ history, again, seed, atOnce }) => {
          const order = [...history, ...again]
            .map((change, i) => ({ change, rank: seed[i % seed.length]! }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ change }) => change);
          const expected = await afterwards(history, history, false);
          expect((await afterwards(history, order, atOnce)).stored).toEqual(expected.stored);
        },
      ),
      { numRuns: 60 },
    ));

  it('schedules a recheck when an entity has no failing check left', async () => {
    const down: Change = { entity: 0, check: 0, seq: 1, isDown: true, count: 1, at: START };
    const up: Change = { entity: 0, check: 0, seq: 2, isDown: false, count: 0, at: START + 1000 };
    expect((await afterwards([down], [down], false)).rechecks).toBe(0);
    expect((await afterwards([down, up], [down, up], false)).rechecks).toBe(1);
    expect((await afterwards([down, up], [up, down], false)).rechecks).toBe(1);
  });
});
