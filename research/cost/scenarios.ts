import { makeAuthenticator } from '#infra/docs/authenticator.ts';
import type { CreationOptions, RequestOptions } from '#lib/identity/passkeys/options.ts';
import { type Fleet, hostOf, makeFleet } from './fleet.ts';
import type { Reading } from './meter.ts';
import type { Manner } from './targets.ts';
import { type Counted, type VirtualAws, virtualAws } from './virtual-aws.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Until every check has run, and those that fail are down. */
const WARM_MINUTES = 9;

/** The paths of the table, by the queue or stream that feeds a function. */
export const PATHS = {
  tick: 'schedule',
  job: 'prober',
  deadline: 'deadlines',
  notifier: 'notifier',
  notify: 'notifier',
  delivery: 'deliverer',
  rollup: 'rollups',
  'action-planner': 'action planner',
  plan: 'action planner',
} as Record<string, string>;

const begin = (settings = {}): VirtualAws => virtualAws(settings, (source, consumer) => PATHS[source] ?? consumer);

type Spread = Partial<Record<Manner, number>>;

/**
 * A fleet in its steady state: a part of it is down and stays so.
 * @param spread how many of the checks do otherwise than to answer
 * Beside that, for a bill as a whole: more accounts than one, and targets of which some are slow.
 */
export async function steady(
  checks: number,
  minutes: number,
  spread: Spread,
  { tenants = 1, vary = false }: { tenants?: number; vary?: boolean } = {},
): Promise<Counted> {
  const aws = begin();
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

/** Cells whose rollups are measured. */
const CELLS = 4;

/** An hour of some cells, in which the one before is rolled up; latencies differ. @param checks of a cell */
export async function rolledHour(checks: number): Promise<Counted> {
  const aws = begin();
  aws.targets.vary();
  await makeFleet(aws, { checks: CELLS * checks, tenants: CELLS });
  aws.begin();
  await aws.pass(HOUR_MS - (aws.now() % HOUR_MS) + HOUR_MS);
  return aws.count(HOUR_MS);
}

/** How long an incident of `changes` lasts, and how long it is counted (minutes). */
const DOWN_MINUTES = 12;
const SETTLED_MINUTES = 20;

/**
 * Incidents: so many checks, each with a webhook, go down and up again.
 * @param happens false: the same fleet and the same minutes without an incident
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
 * A fleet whose checks all go down and up again, with one channel for all.
 * @param related each entity but the first depends on that @param happens false: the same minutes without an incident
 */
export async function incidentOfAll(checks: number, related: boolean, happens: boolean): Promise<Counted> {
  const aws = begin();
  await makeFleet(aws, { checks, team: true, related });
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  failAndRecover(aws, happens ? checks : 0);
  return aws.count(SETTLED_MINUTES * MINUTE_MS);
}

/** The first checks of a fleet go down a minute from now, and up again. */
function failAndRecover(aws: VirtualAws, checks: number): void {
  const turn = (manner: Manner) => {
    for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), manner);
  };
  aws.in(MINUTE_MS, () => turn('fails'));
  aws.in((1 + DOWN_MINUTES) * MINUTE_MS, () => turn('answers'));
}

/** No check fails as often within WARM_MINUTES and those that are counted: 19, with retries three a minute. */
const NEVER_DOWN = 100;

/**
 * Checks that fail and are undecided all the while, so that each of their runs counts.
 * @param retry_interval_seconds of each; 0: its slots alone
 */
export async function undecided(checks: number, minutes: number, retry_interval_seconds: number): Promise<Counted> {
  const aws = begin();
  await makeFleet(aws, { checks, settings: { failure_threshold: NEVER_DOWN, retry_interval_seconds } });
  for (let number = 0; number < checks; number++) aws.targets.does(hostOf(number), 'fails');
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}

export const HEARTBEAT = 'heartbeat';

/** Push checks that beat once a minute, spread over it. */
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
 * Push checks that are pinged once a minute, spread over it.
 * @param runs each ping ends a run, whose start came 20 s before
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

/** Sign-ins with a passkey, one after the other, each of a browser that has no session yet: 20 at most. */
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

/** Nothing but the service itself. */
export async function idle(minutes: number): Promise<Counted> {
  const aws = begin();
  await aws.account();
  aws.begin();
  await aws.pass(WARM_MINUTES * MINUTE_MS);
  return aws.count(minutes * MINUTE_MS);
}
