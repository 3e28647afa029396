import { makeAuthenticator } from '#infra/docs/authenticator.ts';
import type { CreationOptions, RequestOptions } from '#lib/identity/passkeys/options.ts';
import { type Fleet, hostOf, makeFleet } from './fleet.ts';
import type { Reading } from './meter.ts';
import type { Manner } from './targets.ts';
import { type Counted, type VirtualAws, virtualAws } from './virtual-aws.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Minutes until every check has run and the failing checks are down. */
const WARM_MINUTES = 9;

/** Paths (rows of the cost table), by the queue or stream that invokes a function. */
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

const newAws = (settings = {}, seed?: number): VirtualAws =>
  virtualAws(settings, (source, consumer) => PATHS[source] ?? consumer, seed);

type Spread = Partial<Record<Manner, number>>;

/**
 * Counts a fleet in its steady state, in which a constant part of the checks is down. Options: `tenants`, number of
 * accounts; `vary`, whether latencies vary so that some responses are slow; `seed` of ids.
 * @param spread number of checks by the behavior of their target; all other targets respond
 */
export async function steady(
  checks: number,
  minutes: number,
  spread: Spread,
  { tenants = 1, vary = false, seed }: { tenants?: number; vary?: boolean; seed?: number } = {},
): Promise<Counted> {
  const aws = newAws({}, seed);
  if (vary) aws.targets.vary();
  await makeFleet(aws, { checks, tenants });
  let number = 0;
  for (const [manner, count] of Object.entries(spread)) {
    for (let i = 0; i < count; i++) aws.targets.does(hostOf(number++), manner as Manner);
  }
  aws.start();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}

/** Number of measured cells. */
const CELLS = 4;

/** Counts an hour of some cells, with the rollup of the previous hour. Latencies vary. @param checks per cell */
export async function rolledHour(checks: number): Promise<Counted> {
  const aws = newAws();
  aws.targets.vary();
  await makeFleet(aws, { checks: CELLS * checks, tenants: CELLS });
  aws.start();
  await aws.pass(HOUR_MS - (aws.now() % HOUR_MS) + HOUR_MS);
  return aws.count(HOUR_MS);
}

/** Duration of an incident, and of its measurement (minutes). */
const DOWN_MINUTES = 12;
const SETTLED_MINUTES = 20;

/**
 * Counts incidents: the checks with a webhook go down and up again.
 * @param incidents number of checks with a webhook
 * @param happens false: the same fleet and minutes without an incident
 */
export async function changes(checks: number, incidents: number, happens: boolean): Promise<Counted> {
  const aws = newAws();
  await makeFleet(aws, { checks, alerting: incidents });
  aws.start();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  failAndRecover(aws, happens ? incidents : 0);
  return aws.count(SETTLED_MINUTES * MINUTE_MS);
}

/**
 * Counts a fleet whose checks all go down and up again, with one channel for all.
 * @param related whether all other entities depend on the first
 * @param happens false: the same minutes without an incident
 */
export async function incidentOfAll(checks: number, related: boolean, happens: boolean): Promise<Counted> {
  const aws = newAws();
  await makeFleet(aws, { checks, team: true, related });
  aws.start();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  failAndRecover(aws, happens ? checks : 0);
  return aws.count(SETTLED_MINUTES * MINUTE_MS);
}

/** Lets the targets of the first checks fail after a minute, and respond again 12 minutes later. */
function failAndRecover(aws: VirtualAws, checks: number): void {
  const setAll = (manner: Manner) => {
    for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), manner);
  };
  aws.in(MINUTE_MS, () => setAll('fails'));
  aws.in((1 + DOWN_MINUTES) * MINUTE_MS, () => setAll('answers'));
}

/** Failure threshold that no check reaches: a measurement has at most three runs a minute for 19 minutes. */
const NEVER_DOWN = 100;

/**
 * Counts checks that keep failing below their threshold, so that each run changes its check.
 * @param retry_interval_seconds of each check; 0: no retries between slots
 */
export async function unconfirmed(checks: number, minutes: number, retry_interval_seconds: number): Promise<Counted> {
  const aws = newAws();
  await makeFleet(aws, { checks, settings: { failure_threshold: NEVER_DOWN, retry_interval_seconds } });
  for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), 'fails');
  aws.start();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}

export const HEARTBEAT = 'heartbeat';

/** Counts push checks with one heartbeat per minute, evenly distributed. */
export async function heartbeats(checks: number, minutes: number): Promise<Counted> {
  const aws = newAws();
  const fleet = await makeFleet(aws, { checks, push: true });
  aws.start();
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
 * @param runs whether each ping ends a job run that a ping started 20 s before
 */
export async function pings(checks: number, minutes: number, runs: boolean): Promise<Counted> {
  const aws = newAws();
  const fleet = await makeFleet(aws, { checks, push: true });
  aws.start();
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

/** Counts consecutive sign-ins with a passkey, each from a browser without a session. @param count at most 20 */
export async function passkeySignIns(count: number): Promise<Reading> {
  const origin = 'https://status.example.com';
  const aws = newAws({ PUBLIC_URL: origin });
  const key = await aws.account();
  const authenticator = makeAuthenticator();
  const post = <Answer>(path: string, by: string, body?: object) => {
    const headers = { host: 'status.example.com', origin, 'x-fleetwatch': 'console' };
    return aws.call<Answer>('sign-in', SIGN_IN, by, { method: 'POST', path, headers, ...(body && { body }) });
  };
  const add = async () => {
    const options = await post<CreationOptions>('/v1/sign-in/passkeys/options', key);
    await post('/v1/sign-in/passkeys', key, { name: 'laptop', response: authenticator.create(options, origin) });
  };
  await aws.done(add());
  return aws.during(async () => {
    for (let i = 0; i < count; i++) {
      const options = await post<RequestOptions>('/v1/sign-in/passkey/options', '');
      await post('/v1/sign-in/passkey', '', { response: authenticator.get(options, origin) });
    }
  });
}

/** Counts a service without checks. */
export async function idle(minutes: number): Promise<Counted> {
  const aws = newAws();
  await aws.account();
  aws.start();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}
