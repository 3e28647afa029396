import type { CheckItem } from '#lib/checks/check-item.ts';
import { iso } from '#lib/platform/time.ts';
import { dueAfter, graceOf, maxRunOf } from '#test/oracle/deadlines.ts';
import type { PushAttempt } from '#test/oracle/history.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { Observations } from './observations.ts';
import { uuidOf } from './pinging-jobs.ts';
import type { Profile } from './profile.ts';
import { type Client, insist } from './requests.ts';

type World = { random: Random; clock: VirtualClock; seen: Observations; client: Client; profile: Profile; end: number };

/**
 * First push number of a simulation. A push, except a heartbeat, sends its number as the latency of its result, which
 * identifies it, because no measured latency is that high.
 */
const FIRST_PUSH = 50_000_000;
let pushes = FIRST_PUSH;
export const resetPushes = (): void => {
  pushes = FIRST_PUSH;
};
/** Returns the push number of a result from its latency (ms); empty if it has none. */
export const markOf = (latencyMs: number): string => (latencyMs > FIRST_PUSH ? `${latencyMs}` : '');

/** Runs the customer's agent of one push check while the check exists. */
export async function runAgent(world: World, checkKey: string): Promise<void> {
  const check = () => world.seen.table.get(checkKey) as CheckItem | undefined;
  await (check()?.config.schedule === undefined ? report(world, check) : runOnSchedule(world, check));
}

type Present = () => CheckItem | undefined;

/** Offsets of a cron job from its due time (ms). */
const OFF_MS = [-50_000, -20_000, -2_000, 0, 0, 0, 1_000, 4_000, 30_000];

/** Runs a cron job: at or near its due times, just when its missed heartbeat is evaluated, or not at all. */
async function runOnSchedule(world: World, check: Present): Promise<void> {
  const { random, clock, end } = world;
  for (let present = check(); present && clock.now() < end; present = check()) {
    const due = Math.min(dueAfter(present, clock.now() + 1000), end);
    const isAtDeadline = random.chance(0.3);
    await clock.sleep(Math.max(500, due - clock.now() + (isAtDeadline ? graceOf(present) : random.pick(OFF_MS))));
    if (isAtDeadline) await untilEvaluated(world, check);
    if (clock.now() >= end || random.chance(0.2)) continue;
    if (random.chance(0.5)) void push(world, present, random.chance(0.85));
    else void run(world, present);
  }
}

/** Runs a job that reports its start, and mostly its end; in time, or not. */
async function run(world: World, check: CheckItem): Promise<void> {
  const { random, clock, seen, client } = world;
  const rid = random.chance(0.7) ? `?rid=${uuidOf(random.bytes(16))}` : '';
  const ping = (action: string) => client('GET', `/ping/${check.ping!.uuid}${action}${rid}`);
  for (let i = 0; i < 3; i++) {
    const started_at = clock.now();
    const response = await ping('/start');
    if (response?.status === 200) seen.starts.push({ check_id: check.id, started_at, n: seen.next() });
    if (response && response.status < 500) break;
    await clock.sleep(random.int(100, 4000));
  }
  if (random.chance(0.2)) return;
  await clock.sleep(random.pick([1000, 5000, maxRunOf(check) - 1000, maxRunOf(check) + 2000]));
  await insist(random, clock, () => ping(random.pick(['', '', '/0', '/fail', '/3'])), 3);
}

/** Reports at its interval, pauses for a while, and continues. */
async function report(world: World, check: Present): Promise<void> {
  const { random, clock, end } = world;
  let silentUntil = clock.now() + random.int(0, 20_000);
  let illUntil = 0;
  while (clock.now() < end) {
    const present = check();
    if (!present) return;
    const interval = present.interval_seconds * 1000;
    if (clock.now() >= silentUntil) {
      if (random.chance(0.03)) silentUntil = clock.now() + random.int(interval, interval * 5 + 60_000);
      if (random.chance(0.06)) illUntil = clock.now() + random.int(interval, interval * 6);
      void push(world, present, clock.now() >= illUntil || random.chance(0.2));
    }
    await clock.sleep(random.int(Math.floor(interval * 0.4), Math.floor(interval * 1.1)));
    const due = clock.now() >= silentUntil && random.chance(0.15) ? heartbeatDeadline(world, present) : 0;
    if (due <= clock.now()) continue;
    await clock.sleep(due - clock.now());
    await untilEvaluated(world, check);
    if (random.chance(0.7)) await run(world, present);
  }
}

/**
 * Waits after a heartbeat deadline until its evaluation has begun, at most 2.5 s, so that a heartbeat can arrive during
 * it.
 */
async function untilEvaluated({ clock, random }: World, check: Present): Promise<void> {
  const until = clock.now() + 2500;
  while (clock.now() < until && check()?.missed_mark === undefined) await clock.sleep(random.int(1, 4));
}

/** Returns the heartbeat deadline of a check without further pushes. */
function heartbeatDeadline({ seen }: World, { id, config, interval_seconds }: CheckItem): number {
  const newest = seen.newestPush.get(id) ?? 0;
  return newest + ((config.grace_seconds as number | undefined) ?? 2 * interval_seconds) * 1000;
}

/** Sends one push until it has a final response or the agent gives up; sometimes twice at once. */
async function push(world: World, { id }: CheckItem, success: boolean): Promise<void> {
  const { random, clock, profile } = world;
  const number = `${++pushes}`;
  const kind = random.pick(['heartbeat', 'keyed heartbeat', 'plain', 'keyed', 'dated', 'dated']);
  const identified = kind === 'keyed heartbeat' || kind === 'keyed' || kind === 'dated';
  const headers: Record<string, string> = kind.startsWith('keyed') ? { 'idempotency-key': `push-${number}` } : {};
  const path = `/v1/checks/${id}/${kind.endsWith('heartbeat') ? 'heartbeat' : 'results'}`;
  const body = kind.endsWith('heartbeat')
    ? undefined
    : { success, latency_ms: Number(number), ...(success ? warning(random) : { error_message: 'agent says no' }) };
  const sent = kind === 'dated' ? { ...body, checked_at: iso(clock.now() - ageOf(random)) } : body;
  const attempts = random.int(1, 6);
  const twice = !profile.quiet && random.chance(0.05);
  const content = { check_id: id, push: number, identified, body };
  if (twice) void attempt(world, content, path, sent, headers);
  for (let i = 0; i < attempts; i++) {
    const answered = await attempt(world, content, path, sent, headers);
    if (answered !== undefined && answered < 500) return;
    await clock.sleep(random.int(100, 4000));
  }
}

const warning = (random: Random): object => (random.chance(0.4) ? { warning_message: 'agent is not sure' } : {});

/**
 * Returns the age of a result: most are recent; some are a little old, a few very old or from a clock that is ahead.
 */
function ageOf(random: Random): number {
  if (random.chance(0.7)) return random.int(0, 2000);
  return random.pick([random.int(2000, 50_000), random.int(60_000, 900_000), -random.int(1, 50_000)]);
}

type PushContent = Pick<PushAttempt, 'check_id' | 'push' | 'identified' | 'body'>;

async function attempt(
  { seen, clock, client }: World,
  content: PushContent,
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const one: PushAttempt = { ...content, started_n: seen.next(), started_at: clock.now(), replayed: false };
  seen.pushes.push(one);
  const response = await client('POST', path, body ?? {}, headers);
  if (!response) return undefined;
  one.replayed = response.replayed;
  const id = (response.body as { id?: string } | undefined)?.id;
  one.answered = { n: seen.next(), at: clock.now(), status: response.status, ...(id && { result_id: id }) };
  return response.status;
}
