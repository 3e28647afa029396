import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { deleteEntity } from '#lib/catalog/change-entity.ts';
import { addLoads, type CheckCountItem, NO_LOAD } from '#lib/catalog/check-count.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { createCheck, deleteCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { loadOfCheck } from '#lib/checks/settings/guard-settings.ts';
import { healthWorld } from '#test/support/health-world.ts';

type Step =
  | { do: 'create'; entity: number; enabled: boolean; push: boolean }
  | { do: 'change'; check: number; enabled: boolean; interval_seconds: number }
  | { do: 'fail' | 'delete'; check: number }
  | { do: 'delete entity'; entity: number };

const small = fc.integer({ min: 0, max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      entity: small,
      enabled: fc.boolean(),
      push: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      check: small,
      enabled: fc.boolean(),
      interval_seconds: fc.integer({ min: 10, max: 1000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('fail' as const, 'delete' as const), check: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete entity' as const), entity: small }) },
);

it('counts checks and their load correctly during concurrent changes', async () => {
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const world = await healthWorld();
      const { context, ports, keys } = world;
      const entities = [await world.entity(), await world.entity(), await world.entity()];
      const made: CheckItem[] = [];
      const run = async (one: Step): Promise<void> => {
        const known = 'check' in one ? made[one.check % made.length] : undefined;
        const check = known && (await world.fresh(known));
        const entity = 'entity' in one ? entities[one.entity % entities.length]! : undefined;
        if (one.do === 'create') {
          const kind = one.push ? { check_type: 'push' } : { check_type: 'http', target_url: 'https://example.com/' };
          made.push(
            await createCheck(context, { ...kind, enabled: one.enabled, entity_id: entity!.id, failure_threshold: 1 }),
          );
        } else if (one.do === 'delete entity') await deleteEntity(context, 'service', entity!.slug);
        else if (check && one.do === 'change') {
          const { enabled, interval_seconds } = one;
          await updateCheck(context, check, { enabled, interval_seconds });
        } else if (check && one.do === 'fail' && check.execution_mode === 'push') await world.push(check, false);
        else if (check && one.do === 'delete') await deleteCheck(context, check);
      };
      for (const round of all) {
        for (const outcome of await Promise.allSettled(round.map(run))) {
          // Another step of the round has deleted its check or entity.
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'NOT_FOUND' });
        }
        const count = await ports.table.get<CheckCountItem>(keys.checkCount(context.tenant));
        const left = (await Promise.all(made.map(world.fresh))).filter(Boolean);
        const load = left.map(loadOfCheck).reduce(addLoads, NO_LOAD);
        expect({ checks: count?.checks ?? 0, load: count?.load ?? NO_LOAD }).toEqual({ checks: left.length, load });
        for (const { id } of entities) {
          const item = await ports.table.get<EntityItem>(keys.entity(context.tenant, id));
          const own = left.filter(({ entity_id }) => entity_id === id).map(loadOfCheck);
          expect(item?.check_load ?? NO_LOAD).toEqual(own.reduce(addLoads, NO_LOAD));
        }
      }
      world.store.store.close();
    }),
    { numRuns: 40 },
  );
});
