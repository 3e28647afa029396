import type { Keys } from '#lib/keys.ts';
import type { Job, MessageOf, Timer } from '#lib/messages.ts';
import type { Message, Ports } from '#lib/platform/ports.ts';
import type { Owner } from './entries.ts';
import { handover } from './watermark.ts';

/** Jobs or deadlines that a message carries at most: 8 KB, well under the price step of 64 KB, and one batch of reads. */
const MOST_A_MESSAGE = 50;

/**
 * Packs jobs into messages: those due within the same JOB_GROUP_MS travel together and are handed out at its end, so
 * that no probe comes before its slot. Jobs of one entity stay together.
 */
export const packJobs = (jobs: Job[], groupMs: number): Message[] =>
  packed(jobs, (job) => job.slot, groupMs).map(({ not_before, part }) => ({
    body: { jobs: part } satisfies MessageOf<'job'>,
    not_before,
  }));

/**
 * A deadline has several messages, in case one is lost. They come so many groups after it, so that the first moves it
 * and the others find it moved, with one read: the generator's, which holds most deadlines at once; that of whoever
 * wrote it; those that the generator sends again.
 */
const TURN = { first: 0, writers: 1, again: 2 };

/** Packs deadlines into messages as jobs are packed; those that have come by `now` (epoch ms) travel together. */
export const packTimers = (timers: Timer[], turn: keyof typeof TURN, groupMs: number, now: number): Message[] =>
  packed(timers, (timer) => Math.max(timer.at, now), groupMs).map(({ not_before, part }) => ({
    body: { timers: part } satisfies MessageOf<'timer'>,
    not_before: not_before + TURN[turn] * groupMs,
  }));

function packed<T extends { entity_id: string }>(list: T[], dueAt: (one: T) => number, groupMs: number) {
  const groups = new Map<number, T[]>();
  for (const one of list) {
    const due = Math.ceil(dueAt(one) / groupMs) * groupMs;
    const group = groups.get(due);
    if (group) group.push(one);
    else groups.set(due, [one]);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .flatMap(([not_before, group]) => {
      group.sort((a, b) => (a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0));
      return chunks(group, MOST_A_MESSAGE).map((part) => ({ not_before, part }));
    });
}

function chunks<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** A scheduled action's runs, one message each; none goes out before its slot. */
export const scheduledRuns = ({ tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>, slots: number[]): Message[] =>
  slots.map((slot) => ({
    body: { kind: 'schedule', tenant_id, action_id: id, slot } satisfies MessageOf<'action'>,
    not_before: slot,
  }));

/** While the schedule lags behind nobody has watched; a deadline is looked at again after this time (ms). */
const PUT_BACK_MS = 5_000;

/** A deadline as it is to come once more in a moment, at `now` in epoch ms. */
export const putBack = (timer: Timer, now: number): Timer => ({ ...timer, at: now + PUT_BACK_MS });

/**
 * Sends the messages of deadlines that were just written, as far as they are due before the generator takes over; it
 * emits the later ones, and these too until they are handled.
 */
export async function sendTimers(ports: Ports, keys: Keys, timers: Timer[]): Promise<void> {
  const shardOf = (timer: Timer) => keys.shardOf(timer.entity_id);
  const shards = [...new Set(timers.map(shardOf))];
  const until = await Promise.all(shards.map((shard) => handover(ports, keys, shard)));
  const due = timers.filter((timer) => timer.at <= until[shards.indexOf(shardOf(timer))]!);
  if (due.length === 0) return;
  await ports.queues.send('timer', packTimers(due, 'writers', ports.settings.JOB_GROUP_MS, ports.clock.now()));
}
