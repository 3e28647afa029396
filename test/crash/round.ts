import { setTimeout as pause } from 'node:timers/promises';
import type { PushAttempt } from '#test/oracle/history.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import { type Fleet, GRACE_S, PULL_INTERVAL_S } from './fleet.ts';
import { killStarting } from './lives.ts';
import { pushOnce, type Sent, startLoad } from './load.ts';

/** How one round went. Times in ms. */
export type Round = {
  number: number;
  /** From the beginning of the load on. */
  killed_after: number;
  /** For so long nothing was started; then each of these starts was killed after so long. */
  away: number;
  starts_killed: number[];
  /** From the last start until it said that it runs, and until each pull check had been probed. */
  ready_in: number;
  back_on_slots_in: number;
  wrong: string[];
};

const MAX_STARTS_KILLED = 3;
/** The machine may be busy with other things: so long (ms), and as long as the start has taken. */
const SLACK_MS = 1_000;
/** Answered pushes that are sent again, with their key. */
const SENT_AGAIN = 5;

/** Load, a kill -9 in the middle of it, sometimes more of them while it starts again, and what was left unanswered. */
export async function goThrough(fleet: Fleet, sent: Sent, seed: number, number: number): Promise<Round> {
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
    wrong.push(`${probed_at - ready_at!} ms after the restart not every pull check was back on its slots`);
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

/** An agent with a key sends again what it has no answer to, and now and then what it has one to. */
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
      if (!(await pushOnce(fleet, sent, push))) wrong.push(`"${push.push}" was sent again and got no answer`);
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  return wrong;
}

/** For so long (ms) a first probe is waited for. */
const PATIENCE_MS = 30_000;

/** Waits until every pull check has been probed since an instant. @returns when that was so, or given up (epoch ms) */
async function probedSince({ target, pulled }: Fleet, since: number): Promise<number> {
  const first = () => {
    const seen = new Map<string, number>();
    for (const { path, at } of target.arrivals) if (at >= since && !seen.has(path)) seen.set(path, at);
    return seen.size === pulled.length && Math.max(...seen.values());
  };
  return eventually(first, PATIENCE_MS).catch(() => Date.now());
}
