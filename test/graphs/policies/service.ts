import type { AlertItem } from '#lib/health/alerting/alert-item.ts';
import { isAlert } from '#lib/health/alerting/alert-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type VirtualService, virtualService } from '#test/faults/virtual-service.ts';
import type { Truth } from '#test/graphs/truth.ts';
import { type Entity, TIMEOUT_MS, type World } from '#test/graphs/world.ts';
import type { Alert, Policy, Scene } from './policy.ts';

/** How many calls of the API are made at one moment. */
const AT_ONCE = 20;

/** The service itself: its functions in virtual time, with targets that fail as the truth has it, and one channel. */
export const service: Policy = {
  name: 'the service',
  live: async ({ world, truth, end }: Scene) => {
    const running = await virtualService('00:00');
    try {
      const names = await makeFleet(running, world, truth);
      const began = running.now();
      for (const { at, id, fails } of changesOf(truth)) {
        await running.pass(began + at - running.now());
        const { fails_in_ms } = world.entities.get(id)!;
        running.host(`${id}.test`).does(fails ? (fails_in_ms < TIMEOUT_MS ? 'refuses' : 'hangs') : 'answers');
      }
      await running.pass(began + end - running.now());
      return alertsIn(running, names, began);
    } finally {
      running.close();
    }
  },
};

/** Makes what fails, and all that it is said to depend on. @returns the names of entities by their ids */
async function makeFleet(running: VirtualService, world: World, truth: Truth): Promise<Map<string, string>> {
  const wanted = new Set(truth.keys());
  for (const id of wanted) for (const one of world.declared.get(id)!) wanted.add(one.to_entity_id);
  const entities = [...wanted].map((id) => world.entities.get(id)!);
  const made = await inTurns(running, entities, ({ id }) => [
    'POST',
    '/v1/blueprints/service/entities',
    { slug: id, name: id },
  ]);
  const ids = new Map<string, string>(made.map((one) => [one.name, one.id]));
  const checked = entities.filter(({ checked }) => checked !== 'none');
  const checks = await inTurns(running, checked, (entity) => [
    'POST',
    '/v1/checks',
    checkOf(entity, ids.get(entity.id)!),
  ]);
  const config = { url: 'https://pager.test/hook' };
  await inTurns(running, checks, ({ id }) => [
    'POST',
    `/v1/checks/${id}/policy/channels`,
    { channel_type: 'webhook', config },
  ]);
  const relations = entities.flatMap(({ id }) =>
    world.declared.get(id)!.map(({ to_entity_id, group, when }) => ({
      ...{ from_entity_id: ids.get(id), to_entity_id: ids.get(to_entity_id), relation_type: 'depends_on', group, when },
    })),
  );
  await inTurns(running, relations, (one) => ['POST', '/v1/relations', one]);
  return new Map([...ids].map(([name, id]) => [id, name]));
}

const checkOf = ({ interval_ms, threshold, id }: Entity, entity_id: string) => ({
  ...{ entity_id, check_type: 'http', target_url: `http://${id}.test/`, timeout_ms: TIMEOUT_MS },
  ...{ interval_seconds: interval_ms / 1000, failure_threshold: threshold },
});

type ApiCall = [method: string, path: string, body: unknown];

async function inTurns<T>(running: VirtualService, list: readonly T[], call: (one: T) => ApiCall) {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const answers: any[] = [];
  for (let n = 0; n < list.length; n += AT_ONCE)
    answers.push(...(await running.callAtOnce(list.slice(n, n + AT_ONCE).map(call))));
  return answers;
}

/** When each entity begins and ends to fail, in order. */
const changesOf = (truth: Truth) =>
  [...truth]
    .flatMap(([id, spans]) =>
      spans.flatMap(([from, to]) => [
        { at: from, id, fails: true },
        { at: to, id, fails: false },
      ]),
    )
    .toSorted((a, b) => a.at - b.at);

/** What it decided to send about entities that are down. */
function alertsIn({ seen }: VirtualService, names: ReadonlyMap<string, string>, began: number): Alert[] {
  const alerts = [...seen.table.values()].filter((item): item is AlertItem => isAlert<Item>(item as AlertItem));
  return alerts
    .filter(({ announces }) => announces === 'down')
    .map(({ entity_id, urgency, root, to, ...item }) => ({
      at: Number(item.sk.slice(3, 16)) - began,
      entity: names.get(entity_id)!,
      urgency,
      ...(root && { root: names.get(root.entity_id)! }),
    }))
    .toSorted((a, b) => a.at - b.at);
}
