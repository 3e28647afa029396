import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import { checksIn } from '#test/oracle/inside.ts';
import type { Random } from '#test/support/random.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import type { Observations } from './observations.ts';
import { entitiesIn } from './operator.ts';
import { TRUE_RELATIONS } from './places.ts';
import { insist } from './requests.ts';

/** Maximum number of relations. */
const KEPT = 9;

const relationsIn = ({ table }: Observations): StoredRelation[] =>
  [...table.values()].flatMap((item) => (item.pk.includes('#RELATIONS#') ? [item as unknown as StoredRelation] : []));

/**
 * Returns the type and options of a new relation: mostly a dependency, sometimes in a group of interchangeable ones.
 */
function propertiesOf(random: Random): object {
  if (random.chance(0.1)) return { relation_type: 'runs_beside', propagates_failure: random.chance(0.5) };
  const when = random.chance(0.15) && { when: 'degraded' };
  const group = random.chance(0.3) && { group: 'any', ...(random.chance(0.3) && { required: random.int(1, 2) }) };
  return { relation_type: 'depends_on', ...when, ...group };
}

/** Creates the initial relations: most of the actual dependencies. */
export async function relateAtFirst(world: OperatorWorld): Promise<void> {
  const { random, clock, client } = world;
  for (const [from, to] of TRUE_RELATIONS) {
    if (random.chance(0.2)) continue;
    const ends = { from_entity: `service/${from}`, to_entity: `service/${to}` };
    await insist(random, clock, () => client('POST', '/v1/relations', { ...ends, relation_type: 'depends_on' }));
  }
}

/**
 * Simulates a user who creates and deletes relations, often during failures. The relations match actual dependencies or
 * not, and include cycles and groups.
 */
export async function runCataloguer(world: OperatorWorld, end: number): Promise<void> {
  const { random, clock, client, seen } = world;
  for (;;) {
    await clock.sleep(random.int(10_000, 90_000));
    for (let patience = 10; patience > 0 && !checksIn(seen).some(({ state }) => state === 'down'); patience--)
      await clock.sleep(3_000);
    const entities = entitiesIn(seen);
    if (clock.now() >= end || entities.length < 2) return;
    const known = relationsIn(seen);
    if (known.length >= KEPT || (known.length > 0 && random.chance(0.35))) {
      const { id } = random.pick(known);
      await insist(random, clock, () => client('DELETE', `/v1/relations/${id}`));
      continue;
    }
    const [from, to] = random.chance(0.4) ? random.pick(TRUE_RELATIONS) : [undefined, undefined];
    const named = (slug: string | undefined) => entities.find((one) => one.slug === slug) ?? random.pick(entities);
    const ends = { from_entity_id: named(from).id, to_entity_id: named(to).id };
    await insist(random, clock, () => client('POST', '/v1/relations', { ...ends, ...propertiesOf(random) }));
  }
}
