import type { VirtualAws } from './virtual-aws.ts';

const CHECKS_AN_ENTITY = 4;
const AT_ONCE = 50;

/** Path (row of the cost table) of the setup, which is not reported. */
const SET_UP = 'set-up';

/** `pings`: paths of the ping URLs of push checks. */
export type Fleet = { key: string; checks: string[]; pings: string[] };

/** Returns the target host of a check by its number. */
export const hostOf = (number: number): string => `target-${number}.example.com`;
const RECEIVER = 'alerts.example.com';

type FleetOptions = {
  checks: number;
  tenants?: number;
  push?: boolean;
  alerting?: number;
  settings?: object;
  team?: boolean;
  related?: boolean;
};

/**
 * Creates checks with an interval of one minute, four per entity, through the API.
 * @param tenants number of accounts
 * @param alerting number of checks per account with a webhook, starting with the first
 * @param settings of each check, in addition to target and interval
 * @param team whether one account channel gets all alerts
 * @param related whether each entity except the first depends on it
 */
export async function makeFleet(aws: VirtualAws, { tenants = 1, ...more }: FleetOptions): Promise<Fleet> {
  aws.targets.does(RECEIVER, 'takes alerts');
  const fleets: Fleet[] = [];
  for (let i = 0; i < tenants; i++) fleets.push(await ofOneTenant(aws, { ...more, checks: more.checks / tenants }, i));
  const [checks, pings] = [fleets.flatMap((fleet) => fleet.checks), fleets.flatMap((fleet) => fleet.pings)];
  return { key: fleets[0]!.key, checks, pings };
}

async function ofOneTenant(
  aws: VirtualAws,
  { checks, push = false, alerting = 0, settings = {}, team, related }: Omit<FleetOptions, 'tenants'>,
  tenant: number,
): Promise<Fleet> {
  const key = await aws.account();
  const post = (path: string, body: object) =>
    aws.call<{ id: string; ping_url?: string }>('api', SET_UP, key, { method: 'POST', path, body });
  await aws.done(post('/v1/blueprints', { slug: 'service', name: 'Service' }));

  const entities: string[] = [];
  for (let i = 0; i * CHECKS_AN_ENTITY < checks; i++) {
    const made = post('/v1/blueprints/service/entities', { slug: `service-${i}`, name: `Service ${i}` });
    entities.push((await aws.done(made)).id);
  }
  const ids: string[] = [];
  const pings: string[] = [];
  for (let from = 0; from < checks; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, checks - from) }, (_, i) => from + i);
    const made = numbers.map((number) =>
      post('/v1/checks', {
        ...settingsOf(tenant * checks + number, push),
        ...settings,
        entity_id: entities[number % entities.length]!,
      }),
    );
    const found = await aws.done(Promise.all(made));
    ids.push(...found.map(({ id }) => id));
    pings.push(...found.flatMap(({ ping_url }) => (ping_url ? [ping_url.replace(/^.*(?=\/ping\/)/, '')] : [])));
  }
  for (const id of ids.slice(0, alerting)) {
    const channel = { channel_type: 'webhook', config: { url: `https://${RECEIVER}/hooks/${id}` } };
    await aws.done(post(`/v1/checks/${id}/policy/channels`, channel));
  }
  if (team) {
    const channel = { name: 'Team', channel_type: 'webhook', config: { url: `https://${RECEIVER}/hooks/team` } };
    await aws.done(post('/v1/notify/channels', channel));
  }
  const [first, ...others] = entities;
  for (const from_entity_id of related ? others : []) {
    await aws.done(post('/v1/relations', { from_entity_id, to_entity_id: first, relation_type: 'depends_on' }));
  }
  return { key, checks: ids, pings };
}

const settingsOf = (number: number, push: boolean) =>
  push
    ? { check_type: 'push', interval_seconds: 60 }
    : { check_type: 'http', target_url: `https://${hostOf(number)}/health`, interval_seconds: 60 };
