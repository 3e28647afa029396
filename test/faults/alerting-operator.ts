import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Random } from '#test/support/random.ts';
import { newChannel, type OperatorWorld, policy } from './alert-bodies.ts';
import { insist } from './requests.ts';

/** Which checks somebody means: all, those of an entity, or one. */
const meant = (random: Random, check: CheckItem): object | null =>
  random.pick([null, { entity_ids: [check.entity_id] }, { check_ids: [check.id] }]);

/** Somebody changes what holds for the whole account: channels, defaults, silences and maintenance windows. */
export async function changeAlerting(world: OperatorWorld, check: CheckItem, number: number): Promise<void> {
  const { random, clock, client, seen } = world;
  const send = (method: string, path: string, body?: object) =>
    insist(random, clock, () => client(method, path, body), 3);
  const ahead = (from: number, to: number) => new Date(clock.now() + random.int(from, to)).toISOString();
  const idsOf = (word: string) =>
    [...seen.table.values()].flatMap((item) =>
      item.pk.endsWith('#ALERTING') && item.sk.startsWith(word) ? [item.sk.slice(word.length)] : [],
    );
  const kind = random.int(1, 10);
  if (kind <= 1) await send('PUT', '/v1/notify/policy', policy(random));
  else if (kind <= 2) {
    const states = random.pick([undefined, ['down'], ['down', 'up']]);
    const applies_to = { ...meant(random, check), ...(states && { states }) };
    const channel = { name: `channel ${number}`, ...newChannel(random, number % 4) };
    await send(
      'POST',
      '/v1/notify/channels',
      Object.keys(applies_to).length > 0 ? { ...channel, applies_to } : channel,
    );
  } else if (kind <= 3) {
    const channels = idsOf('CHANNEL#');
    if (channels.length === 0) return;
    const path = `/v1/notify/channels/${random.pick(channels)}`;
    const what = random.pick(['change', 'change', 'delete', 'test']);
    if (what === 'change') await send('PUT', path, { enabled: random.chance(0.5) });
    else await send(what === 'test' ? 'POST' : 'DELETE', what === 'test' ? `${path}/test` : path);
  } else if (kind <= 5) {
    await send('POST', '/v1/notify/silences', { applies_to: meant(random, check), until: ahead(20_000, 400_000) });
  } else if (kind <= 6) {
    const silences = idsOf('SILENCE#');
    if (silences.length > 0) await send('DELETE', `/v1/notify/silences/${random.pick(silences)}`);
  } else if (kind <= 9) {
    const starts_at = ahead(-60_000, 120_000);
    const ends_at = new Date(Date.parse(starts_at) + random.int(60_000, 500_000)).toISOString();
    if (Date.parse(ends_at) <= clock.now()) return;
    await send('POST', '/v1/windows', {
      name: 'work',
      starts_at,
      ends_at,
      scope: meant(random, check) ?? { all: true },
    });
  } else {
    const windows = idsOf('WINDOW#');
    if (windows.length === 0) return;
    const path = `/v1/windows/${random.pick(windows)}`;
    if (random.chance(0.5)) await send('DELETE', path);
    else await send('PUT', path, { ends_at: ahead(60_000, 300_000) });
  }
}
