import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Random } from '#test/support/random.ts';
import { newChannel, type OperatorWorld, policy } from './alerting-bodies.ts';
import type { Observations } from './observations.ts';
import { insist } from './requests.ts';

/** Returns a selection of checks: all (null), the checks of an entity, or one. */
export const selection = (random: Random, check: CheckItem): object | null =>
  random.pick([null, { entity_ids: [check.entity_id] }, { check_ids: [check.id] }]);

/** Returns the ids of alerting items of one kind, by the prefix of their keys. */
export const alertingIdsIn = (
  { table }: Observations,
  prefix: 'CHANNEL#' | 'SILENCE#' | 'WINDOW#' | 'ROTA#',
): string[] =>
  [...table.values()].flatMap((item) =>
    item.pk.endsWith('#ALERTING') && item.sk.startsWith(prefix) ? [item.sk.slice(prefix.length)] : [],
  );

/** Changes the alerting of the whole account at random: the default policy, a channel or a silence. */
export async function changeAlerting(world: OperatorWorld, check: CheckItem, number: number): Promise<void> {
  const { random, clock, client, seen } = world;
  const send = (method: string, path: string, body?: object) =>
    insist(random, clock, () => client(method, path, body), 3);
  const ahead = (from: number, to: number) => new Date(clock.now() + random.int(from, to)).toISOString();
  const kind = random.int(1, 6);
  if (kind <= 1) await send('PUT', '/v1/notify/policy', policy(random));
  else if (kind <= 2) {
    const states = random.pick([undefined, ['down'], ['down', 'up']]);
    const applies_to = { ...selection(random, check), ...(states && { states }) };
    const channel = { name: `channel ${number}`, ...newChannel(random, number % 4) };
    await send(
      'POST',
      '/v1/notify/channels',
      Object.keys(applies_to).length > 0 ? { ...channel, applies_to } : channel,
    );
  } else if (kind <= 3) {
    const channels = alertingIdsIn(seen, 'CHANNEL#');
    if (channels.length === 0) return;
    const path = `/v1/notify/channels/${random.pick(channels)}`;
    const what = random.pick(['change', 'change', 'delete', 'test']);
    if (what === 'change') await send('PUT', path, { enabled: random.chance(0.5) });
    else await send(what === 'test' ? 'POST' : 'DELETE', what === 'test' ? `${path}/test` : path);
  } else if (kind <= 5) {
    await send('POST', '/v1/notify/silences', { applies_to: selection(random, check), until: ahead(20_000, 400_000) });
  } else {
    const silences = alertingIdsIn(seen, 'SILENCE#');
    if (silences.length > 0) await send('DELETE', `/v1/notify/silences/${random.pick(silences)}`);
  }
}
