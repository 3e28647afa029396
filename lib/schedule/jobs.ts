import type { Env } from '#lib/env.ts';
import type { DueDeadline, Job, MessageTo } from '#lib/messages.ts';
import { chunks } from '#lib/platform/chunks.ts';
import type { Message } from '#lib/platform/ports.ts';
import type { Owner } from './entries.ts';
import { writerSendsUntil } from './watermark.ts';

/** Most jobs or deadlines in a message: 8 KB, well under the price step of 64 KB, and one batch of reads. */
const MOST_A_MESSAGE = 50;

/** A tenant with so many probes a second travels in messages of its own, the others share theirs. */
const PROBES_ALONE = 10;

/**
 * Packs jobs into messages: those due within the same JOB_GROUP_MS travel together and are handed out at its end, so
 * that no probe comes before its slot. Jobs of one entity stay together, and those of a tenant with many keep to
 * themselves, so that queues can serve tenants fairly.
 */
export function packJobs(jobs: Job[], groupMs: number): MessageTo<'job'>[] {
  const alone = (PROBES_ALONE * groupMs) / 1000;
  return moments(jobs, (job) => job.slot, groupMs).flatMap(([not_before, group]) => {
    const tenants = [...Map.groupBy(group, (job) => job.tenant_id).values()];
    const parts = [
      ...tenants.filter((own) => own.length >= alone).flatMap((own) => chunks(own, MOST_A_MESSAGE)),
      ...chunks(tenants.filter((own) => own.length < alone).flat(), MOST_A_MESSAGE),
    ];
    return parts.map((part) => ({ body: { jobs: part }, not_before, ...groupOf(part) }));
  });
}

/** The tenant that has a message to itself. */
function groupOf(jobs: Job[]): Pick<Message, 'group'> {
  const { tenant_id } = jobs[0]!;
  return jobs.every((job) => job.tenant_id === tenant_id) ? { group: tenant_id } : {};
}

/** Slow probes that a message carries at most: a few, as it is in hand until the last of them has ended. */
const MOST_SLOW_A_MESSAGE = 10;

/** Packs jobs that are due now into messages of the slow lane, each of one tenant. */
export const packSlowJobs = (jobs: Job[]): MessageTo<'slow'>[] =>
  byTenant(jobs, MOST_SLOW_A_MESSAGE).map(({ part, group }) => ({
    body: { slow_jobs: part },
    group,
  }));

/** Packs jobs that are to be tried again at `not_before` (epoch ms), each message of one tenant. */
export const packJobsAgain = (jobs: Job[], not_before: number): MessageTo<'job'>[] =>
  byTenant(jobs, MOST_A_MESSAGE).map(({ part, group }) => ({
    body: { jobs: part },
    not_before,
    group,
  }));

const byTenant = (jobs: Job[], most: number): { part: Job[]; group: string }[] =>
  [...Map.groupBy(jobs, (job) => job.tenant_id)].flatMap(([group, own]) =>
    chunks(own, most).map((part) => ({ part, group })),
  );

/**
 * A deadline has several messages, in case one is lost: the generator's, its writer's, and those that the generator
 * sends again. They are staggered, by so many groups of JOB_GROUP_MS, so that the first one moves the deadline and the
 * others find it moved with one read.
 */
const TURN = { first: 0, writers: 1, again: 2 };

/** Packs deadlines into messages as jobs are packed; those that have come by `now` (epoch ms) travel together. */
export const packDeadlines = (
  deadlines: DueDeadline[],
  turn: keyof typeof TURN,
  groupMs: number,
  now: number,
): MessageTo<'deadline'>[] =>
  moments(deadlines, (deadline) => Math.max(deadline.at, now), groupMs).flatMap(([at, group]) =>
    chunks(group, MOST_A_MESSAGE).map((part) => ({
      body: { deadlines: part },
      not_before: at + TURN[turn] * groupMs,
    })),
  );

/** What is due within the same JOB_GROUP_MS, by its end (epoch ms); what belongs to one entity side by side. */
function moments<T extends { entity_id: string }>(
  list: T[],
  dueAt: (one: T) => number,
  groupMs: number,
): [number, T[]][] {
  const groups = Map.groupBy(list, (one) => Math.ceil(dueAt(one) / groupMs) * groupMs);
  for (const group of groups.values())
    group.sort((a, b) => (a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0));
  return [...groups].sort(([a], [b]) => a - b);
}

/** A scheduled action's runs, one message each; none goes out before its slot. */
export const scheduledRuns = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  slots: number[],
): MessageTo<'action'>[] =>
  slots.map((slot) => ({
    body: { kind: 'schedule', tenant_id, action_id: id, slot },
    not_before: slot,
    group: tenant_id,
  }));

/** While the schedule lags behind, targets were not watched; a deadline is looked at again after this time (ms). */
const PUT_BACK_MS = 5_000;

/** A deadline as it is to come once more in a moment, at `now` in epoch ms. */
export const putBack = (deadline: DueDeadline, now: number): DueDeadline => ({ ...deadline, at: now + PUT_BACK_MS });

/**
 * Sends the messages of deadlines that were just written, as far as they are due before the generator takes over; it
 * emits the later ones, and these too until they are handled.
 */
export async function sendDeadlines(env: Env, deadlines: DueDeadline[]): Promise<void> {
  const { ports, keys } = env;
  const shardOf = (deadline: DueDeadline) => keys.shardOf(deadline.entity_id);
  const shards = [...new Set(deadlines.map(shardOf))];
  const until = await Promise.all(shards.map((shard) => writerSendsUntil(env, shard)));
  const due = deadlines.filter((deadline) => deadline.at <= until[shards.indexOf(shardOf(deadline))]!);
  if (due.length === 0) return;
  await ports.queues.send('deadline', packDeadlines(due, 'writers', ports.settings.JOB_GROUP_MS, ports.clock.now()));
}
