import { setTimeout as pause } from 'node:timers/promises';
import type { PushAttempt } from '#test/oracle/history.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import { type Fleet, GRACE_S, PULL_INTERVAL_S } from './fleet.ts';
import { killStarting } from './lives.ts';
import { pushOnce, type Sent, startLoad } from './load.ts';

/** Measurements of one round. Times in ms. */
export type Round = {
  number: number;
  /** Time from the start of the load. */
  killed_after: number;
  /** Time from the kill until the next start. */
  away: number;
  /** Times from killed starts until their kills. */
  starts_killed: number[];
  /** Time from the last start until the service was ready. */
  ready_in: number;
  /** Time from ready until each pull check had been probed. */
  back_on_slots_in: number;
  wrong: string[];
};

const MAX_STARTS_KILLED = 3;
/** Slack for a busy machine (ms), in addition to the duration of the start. */
const SLACK_MS = 1_000;
/** Maximum number of acknowledged pushes that are sent again with their key, per round. */
const SENT_AGAIN = 5;

/** Runs load until a kill -9, restarts the service, with more kills at times, and repeats unacknowledged pushes. */
export async function runRound(fleet: Fleet, sent: Sent, seed: number, number: number): Promise<Round> {
  const random = makeRandom(seed * 1_000 + number);
  const before = sent.pushes.length;
  const stop = startLoad(fleet, sent, seed, number);
  const stopJobs = fleet.jobs.start(seed * 1_000 + number);
  const killed_after = random.int(300, 4_000);
  await pause(killed_after);
  await fleet.lives.kill();
  await stop();
  await stopJobs();

  const away = random.chance(0.3) ? GRACE_S * 1000 + random.int(200, 1_500) : random.int(0, 600);
  await pause(away);
  const starts_killed = await killStarts(fleet, random);
  await fleet.lives.start();
  const { spawned_at, ready_at } = fleet.lives.all.at(-1)!;
  const pushes = sent.pushes.slice(before);
  const wrong = await sendAgain(fleet, sent, pushes, random);
  const probed_at = await probedSince(fleet, ready_at!);
  const ready_in = ready_at! - spawned_at;
  if (probed_at - ready_at! > PULL_INTERVAL_S * 1000 + SLACK_MS + ready_in)
    wrong.push(`${probed_at - ready_at!} ms after the restart, not every pull check was probed in its slots`);
  return {
    number,
    killed_after,
    away,
    starts_killed,
    ready_in,
    back_on_slots_in: probed_at - ready_at!,
    wrong,
  };
}

async function killStarts({ lives }: Fleet, random: Random): Promise<number[]> {
  const killed: number[] = [];
  while (killed.length < MAX_STARTS_KILLED && random.chance(0.35)) {
    const after = random.int(20, 900);
    await killStarting(lives, after);
    killed.push(after);
  }
  return killed;
}

/** Repeats the pushes with a key: all without a response, and up to SENT_AGAIN acknowledged ones. */
async function sendAgain(fleet: Fleet, sent: Sent, pushes: PushAttempt[], random: Random): Promise<string[]> {
  const keyed = pushes.filter((push) => push.identified);
  const answered = keyed.filter((push) => push.answered);
  const again = [
    ...keyed.filter((push) => !push.answered),
    ...Array.from({ length: Math.min(SENT_AGAIN, answered.length) }, () => random.pick(answered)),
  ];
  const wrong: string[] = [];
  for (const push of again) {
    try {
      if (!(await pushOnce(fleet, sent, push)))
        wrong.push(`push "${push.push}" got no response when it was sent again`);
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  return wrong;
}

/** Maximum wait for the first probes (ms). */
const PATIENCE_MS = 30_000;

/**
 * Waits until every pull check was probed after a time.
 * @returns the time of the last of these first probes, or of the timeout (epoch ms)
 */
async function probedSince({ target, pulled }: Fleet, since: number): Promise<number> {
  const first = () => {
    const seen = new Map<string, number>();
    for (const { path, at } of target.arrivals) if (at >= since && !seen.has(path)) seen.set(path, at);
    return seen.size === pulled.length && Math.max(...seen.values());
  };
  return eventually(first, PATIENCE_MS).catch(() => Date.now());
}
