import { makeAuthenticator } from '#infra/docs/authenticator.ts';
import type { CreationOptions, RequestOptions } from '#lib/identity/passkeys/options.ts';
import { type Fleet, hostOf, makeFleet } from './fleet.ts';
import type { Reading } from './meter.ts';
import type { Manner } from './targets.ts';
import { type Counted, type VirtualAws, virtualAws } from './virtual-aws.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Minutes until every check has run, and failing ones are down. */
const WARM_MINUTES = 9;

/** Paths of the table, by the queue or stream of a function. */
export const PATHS = {
  tick: 'schedule',
  job: 'prober',
  deadline: 'deadlines',
  notifier: 'notifier',
  notify: 'notifier',
  delivery: 'deliverer',
  housekeeping: 'rollups',
  'action-planner': 'action planner',
  plan: 'action planner',
} as Record<string, string>;

const begin = (settings = {}, seed?: number): VirtualAws =>
  virtualAws(settings, (source, consumer) => PATHS[source] ?? consumer, seed);

type Spread = Partial<Record<Manner, number>>;

/**
 * Counts a fleet in its steady state, in which a constant part is down.
 * @param spread number of checks by behavior other than a response
 * Options: several accounts, targets of which some are slow, and the seed of ids.
 */
export async function steady(
  checks: number,
  minutes: number,
  spread: Spread,
  { tenants = 1, vary = false, seed }: { tenants?: number; vary?: boolean; seed?: number } = {},
): Promise<Counted> {
  const aws = begin({}, seed);
  if (vary) aws.targets.vary();
  await makeFleet(aws, { checks, tenants });
  let number = 0;
  for (const [manner, count] of Object.entries(spread)) {
    for (let i = 0; i < count; i++) aws.targets.does(hostOf(number++), manner as Manner);
  }
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}

/** Number of measured cells. */
const CELLS = 4;

/** Counts an hour of some cells, with the rollup of the previous one; latencies vary. @param checks per cell */
export async function rolledHour(checks: number): Promise<Counted> {
  const aws = begin();
  aws.targets.vary();
  await makeFleet(aws, { checks: CELLS * checks, tenants: CELLS });
  aws.begin();
  await aws.pass(HOUR_MS - (aws.now() % HOUR_MS) + HOUR_MS);
  return aws.count(HOUR_MS);
}

/** Duration of an incident, and of its measurement (minutes). */
const DOWN_MINUTES = 12;
const SETTLED_MINUTES = 20;

/**
 * Counts incidents: a number of checks with a webhook go down and up again.
 * @param happens false: the same fleet and minutes without an incident
 */
export async function changes(checks: number, incidents: number, happens: boolean): Promise<Counted> {
  const aws = begin();
  await makeFleet(aws, { checks, alerting: incidents });
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  failAndRecover(aws, happens ? incidents : 0);
  return aws.count(SETTLED_MINUTES * MINUTE_MS);
}

/**
 * Counts a fleet whose checks all go down and up again, with one channel for all.
 * @param related each entity except the first depends on it @param happens false: the same minutes without an incident
 */
export async function incidentOfAll(checks: number, related: boolean, happens: boolean): Promise<Counted> {
  const aws = begin();
  await makeFleet(aws, { checks, team: true, related });
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  failAndRecover(aws, happens ? checks : 0);
  return aws.count(SETTLED_MINUTES * MINUTE_MS);
}

/** Lets the first checks of a fleet go down in a minute, and up again. */
function failAndRecover(aws: VirtualAws, checks: number): void {
  const turn = (manner: Manner) => {
    for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), manner);
  };
  aws.in(MINUTE_MS, () => turn('fails'));
  aws.in((1 + DOWN_MINUTES) * MINUTE_MS, () => turn('answers'));
}

/** Failure threshold above the failures of a measurement: 19, with retries three per minute. */
const NEVER_DOWN = 100;

/**
 * Counts checks that keep failing below their threshold, so that each of their runs counts.
 * @param retry_interval_seconds of each check; 0: only slots
 */
export async function unconfirmed(checks: number, minutes: number, retry_interval_seconds: number): Promise<Counted> {
  const aws = begin();
  await makeFleet(aws, { checks, settings: { failure_threshold: NEVER_DOWN, retry_interval_seconds } });
  for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), 'fails');
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}

export const HEARTBEAT = 'heartbeat';

/** Counts push checks with one heartbeat per minute, evenly distributed. */
export async function heartbeats(checks: number, minutes: number): Promise<Counted> {
  const aws = begin();
  const fleet = await makeFleet(aws, { checks, push: true });
  aws.begin();
  const errors: unknown[] = [];
  beat(aws, fleet, (error) => errors.push(error));
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  const counted = await aws.count(minutes * MINUTE_MS);
  if (errors.length > 0) throw errors[0];
  return counted;
}

function beat(aws: VirtualAws, { key, checks }: Fleet, fail: (error: unknown) => void): void {
  const once = (id: string): void => {
    const path = `/v1/checks/${id}/heartbeat`;
    aws.call('ingest', HEARTBEAT, key, { method: 'POST', path }).catch(fail);
    aws.in(MINUTE_MS, () => once(id));
  };
  for (const [i, id] of checks.entries()) aws.in((i * MINUTE_MS) / checks.length, () => once(id));
}

export const PING = 'ping';

/**
 * Counts push checks with one ping per minute, evenly distributed.
 * @param runs each ping ends a run that started 20 s before
 */
export async function pings(checks: number, minutes: number, runs: boolean): Promise<Counted> {
  const aws = begin();
  const fleet = await makeFleet(aws, { checks, push: true });
  aws.begin();
  const errors: unknown[] = [];
  const ping = (path: string) =>
    void aws.call('ingest', PING, '', { method: 'GET', path }).catch((error: unknown) => errors.push(error));
  const once = (path: string): void => {
    if (runs) ping(`${path}/start`);
    aws.in(RUN_MS, () => ping(path));
    aws.in(MINUTE_MS, () => once(path));
  };
  for (const [i, path] of fleet.pings.entries()) aws.in((i * MINUTE_MS) / checks, () => once(path));
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  const counted = await aws.count(minutes * MINUTE_MS);
  if (errors.length > 0) throw errors[0];
  return counted;
}

const RUN_MS = 20_000;

export const SIGN_IN = 'sign-in';

/** Counts consecutive sign-ins with a passkey, at most 20, each from a browser without a session. */
export async function passkeySignIns(count: number): Promise<Reading> {
  const page = 'https://status.example.com';
  const aws = begin({ PUBLIC_URL: page });
  const key = await aws.account();
  const authenticator = makeAuthenticator();
  const post = <Answer>(path: string, by: string, body?: object) => {
    const headers = { host: 'status.example.com', origin: page, 'x-fleetwatch': 'console' };
    return aws.call<Answer>('sign-in', SIGN_IN, by, { method: 'POST', path, headers, ...(body && { body }) });
  };
  const add = async () => {
    const options = await post<CreationOptions>('/v1/sign-in/passkeys/options', key);
    await post('/v1/sign-in/passkeys', key, { name: 'laptop', response: authenticator.create(options, page) });
  };
  await aws.done(add());
  return aws.during(async () => {
    for (let i = 0; i < count; i++) {
      const options = await post<RequestOptions>('/v1/sign-in/passkey/options', '');
      await post('/v1/sign-in/passkey', '', { response: authenticator.get(options, page) });
    }
  });
}

/** Counts the service without checks. */
export async function idle(minutes: number): Promise<Counted> {
  const aws = begin();
  await aws.account();
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}
