import type { Dependency } from '#lib/alerting/cause/graph.ts';
import type { Truth } from '#research/graphs/truth.ts';
import { type Entity, TIMEOUT_MS, type World } from '#research/graphs/world.ts';
import type { VirtualService } from '#test/faults/virtual-service.ts';

/** Interval of entities that never fail, which need only on-demand probes. */
const SELDOM_MS = 3_600_000;

/** Number of concurrent API requests. */
const AT_ONCE = 20;

/** Fleet in the service: names of entities by their id, and ids of push checks by the name of their entity. */
export type Fleet = { names: ReadonlyMap<string, string>; pushing: ReadonlyMap<string, string> };

/** Creates the failing entities, their transitive declared dependencies, their checks, and one channel for all. */
export async function makeFleet(running: VirtualService, world: World, truth: Truth): Promise<Fleet> {
  await running.call('POST', '/v1/notify/channels', {
    ...{ name: 'Pager', channel_type: 'webhook', config: { url: 'https://pager.test/hook' } },
  });
  const entities = [...reached(world, truth)].map((id) => world.entities.get(id)!);
  const made = await inBatches(running, entities, ({ id }) => [
    'POST',
    '/v1/blueprints/service/entities',
    { slug: id, name: id },
  ]);
  const ids = new Map<string, string>(made.map((one) => [one.name, one.id]));
  const checked = entities.filter(({ checked }) => checked !== 'none');
  const checks = await inBatches(running, checked, (one) => [
    'POST',
    '/v1/checks',
    checkOf(truth.has(one.id) ? one : { ...one, interval_ms: SELDOM_MS }, ids.get(one.id)!),
  ]);
  const relations = entities.flatMap(({ id }) =>
    relationsOf(world.declared.get(id)!).map(({ to_entity_id, ...how }) => ({
      ...{ from_entity_id: ids.get(id), to_entity_id: ids.get(to_entity_id), relation_type: 'depends_on', ...how },
    })),
  );
  // The required number of a group can be set only after it has that many members.
  for (const isRequired of [false, true]) {
    const now = relations.filter((one) => 'required' in one === isRequired);
    await inBatches(running, now, (one) => ['POST', '/v1/relations', one]);
  }
  return {
    names: new Map([...ids].map(([name, id]) => [id, name])),
    pushing: new Map(checked.flatMap((one, i) => (one.checked === 'push' ? [[one.id, checks[i].id]] : []))),
  };
}

/** Returns failing entities and their transitive declared dependencies. */
function reached({ declared }: World, truth: Truth): Set<string> {
  const wanted = new Set(truth.keys());
  // The iteration of a set includes members added meanwhile.
  for (const id of wanted) for (const one of declared.get(id)!) wanted.add(one.to_entity_id);
  return wanted;
}

/** Returns dependencies in the form of the API: only the last member of a group has the required number. */
function relationsOf(declared: readonly Dependency[]) {
  return declared.map(({ required, ...one }, n) => {
    const members = declared.filter(({ group }) => group !== null && group === one.group);
    const isLast = declared[n] === members.at(-1);
    return { ...one, ...(isLast && required !== null && { required: Math.min(required, members.length) }) };
  });
}

const checkOf = ({ checked, interval_ms, threshold, id }: Entity, entity_id: string) => ({
  ...{ entity_id, interval_seconds: interval_ms / 1000, failure_threshold: threshold },
  ...(checked === 'push'
    ? { check_type: 'push' }
    : { check_type: 'http', target_url: `http://${id}.test/`, timeout_ms: TIMEOUT_MS }),
});

type ApiCall = [method: string, path: string, body: unknown];

async function inBatches<T>(running: VirtualService, list: readonly T[], call: (one: T) => ApiCall) {
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  const replies: any[] = [];
  for (let n = 0; n < list.length; n += AT_ONCE)
    replies.push(...(await running.callAtOnce(list.slice(n, n + AT_ONCE).map(call))));
  return replies;
}
