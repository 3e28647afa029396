import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import type { DueDeadline, Job, MessageTo } from '#lib/messages.ts';
import { MAX_DELAY_MS } from '#lib/platform/batch.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Message } from '#lib/platform/ports.ts';
import type { CellRhythm, Owner } from './entries.ts';
import { writerSendsUntil } from './watermark.ts';

/** A job, and how many checks it probes about. */
export type CellJob = { job: Job; checks: number };

/** The jobs of a cell's entry at these slots (epoch ms). */
export const cellJobs = (
  { tenant_id, cell, interval_seconds, checks }: CellRhythm & { checks: number },
  slots: number[],
): CellJob[] => slots.map((slot) => ({ job: { tenant_id, cell, interval_seconds, slot }, checks }));

/** Most probes in a message: those of two full cells, as a prober waits for the slowest of all that it was given. */
const MAX_PROBES = 100;
/** Most deadlines in a message. */
const MAX_DEADLINES = 50;

/** A tenant with so many probes a second, which fill a message, travels in messages of its own; the others share. */
const PROBES_ALONE = MAX_PROBES;

/**
 * Packs jobs into messages: those due within the same JOB_GROUP_MS travel together and are handed out at its end, so
 * that no probe comes before its slot. Those of a tenant with many keep to themselves, so that queues can serve tenants
 * fairly.
 */
export function packJobs(jobs: CellJob[], groupMs: number): MessageTo<'job'>[] {
  const isAlone = (own: CellJob[]) => probesOf(own) >= (PROBES_ALONE * groupMs) / 1000;
  return moments(jobs, ({ job }) => job.slot, groupMs).flatMap(([not_before, group]) => {
    const tenants = [...Map.groupBy(group, ({ job }) => job.tenant_id).values()];
    const parts = [...tenants.filter(isAlone), tenants.filter((own) => !isAlone(own)).flat()].flatMap(loads);
    return parts.map((part) => ({ body: { jobs: part }, not_before, ...groupOf(part) }));
  });
}

const probesOf = (jobs: CellJob[]): number => jobs.reduce((sum, { checks }) => sum + checks, 0);

/** Jobs by the message: the largest, and beside it as many of the smallest as make MAX_PROBES probes together. */
function loads(jobs: CellJob[]): Job[][] {
  const bySize = jobs.toSorted((a, b) => b.checks - a.checks);
  const parts: Job[][] = [];
  for (let largest = 0, smallest = bySize.length - 1; largest <= smallest; largest++) {
    const part = [bySize[largest]!];
    for (; largest < smallest && probesOf(part) + bySize[smallest]!.checks <= MAX_PROBES; smallest--)
      part.push(bySize[smallest]!);
    parts.push(part.map(({ job }) => job));
  }
  return parts;
}

/** The tenant that has a message to itself. */
function groupOf(jobs: Job[]): Pick<Message, 'group'> {
  const { tenant_id } = jobs[0]!;
  return jobs.every((job) => job.tenant_id === tenant_id) ? { group: tenant_id } : {};
}

/** Has one check probed at once, for this slot (epoch ms). */
export async function sendProbe(
  { ports }: Env,
  { tenant_id, id, interval_seconds }: { tenant_id: string; id: string; interval_seconds: number },
  slot: number,
): Promise<void> {
  const job: Job = { tenant_id, cell: cellOf(id), interval_seconds, slot, only: [id] };
  await ports.queues.send('job', [{ body: { jobs: [job] }, group: tenant_id }]);
}

/** Slow probes that a message carries at most: a few, as it is in hand until the last of them has ended. */
const MAX_SLOW_PER_MESSAGE = 10;

/** Packs the slow checks of a slot into messages of the slow lane. */
export const packSlowJob = (job: Job, checkIds: string[]): MessageTo<'slow'>[] =>
  chunks(checkIds, MAX_SLOW_PER_MESSAGE).map((only) => ({
    body: { slow_jobs: [{ ...job, only }] },
    group: job.tenant_id,
  }));

/** What is to be tried again comes after this time (ms). */
const AGAIN_MS = 1_000;

/**
 * Packs jobs each in a message of its own: a retry that is ahead for its instant, or as near to it as a message can
 * wait; all else to be tried again in a second. `now` in epoch ms.
 */
export const packAlone = (jobs: Job[], now: number): MessageTo<'job'>[] =>
  jobs.map((job) => {
    const isAhead = job.retry !== undefined && job.retry.at > now;
    const not_before = isAhead ? Math.min(job.retry!.at, now + MAX_DELAY_MS) : now + AGAIN_MS;
    return { body: { jobs: [job] }, not_before, group: job.tenant_id };
  });

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
    chunks(sideBySide(group), MAX_DEADLINES).map((part) => ({
      body: { deadlines: part },
      not_before: at + TURN[turn] * groupMs,
    })),
  );

/** What is due within the same JOB_GROUP_MS, by its end (epoch ms). */
const moments = <T>(list: T[], dueAt: (one: T) => number, groupMs: number): [number, T[]][] =>
  [...Map.groupBy(list, (one) => Math.ceil(dueAt(one) / groupMs) * groupMs)].sort(([a], [b]) => a - b);

/** What belongs to one entity side by side, as its writers take turns. */
const sideBySide = (deadlines: DueDeadline[]): DueDeadline[] =>
  deadlines.sort((a, b) => (a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0));

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

/** The message of a guarded action whose verdict or next attempt is due at `at` (epoch ms). */
export const remediationDue = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  at: number,
): MessageTo<'action'> => ({
  body: { kind: 'remediation', tenant_id, action_id: id },
  not_before: at,
  group: tenant_id,
});

/** The messages that have the hours of a cell rolled up. */
export const rollupsDue = (
  { tenant_id, cell }: Pick<CellRhythm, 'tenant_id' | 'cell'>,
  slots: number[],
): MessageTo<'rollup'>[] => slots.map((slot) => ({ body: { tenant_id, cell }, not_before: slot, group: tenant_id }));

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
  const shardOf = (deadline: DueDeadline) => keys.shardOf(deadline.check_id);
  const shards = [...new Set(deadlines.map(shardOf))];
  const until = await Promise.all(shards.map((shard) => writerSendsUntil(env, shard)));
  const due = deadlines.filter((deadline) => deadline.at <= until[shards.indexOf(shardOf(deadline))]!);
  if (due.length === 0) return;
  await ports.queues.send('deadline', packDeadlines(due, 'writers', ports.settings.JOB_GROUP_MS, ports.clock.now()));
}

/** Sends the message of a guarded action's deadline that was just written, as `sendDeadlines` does. */
export async function sendRemediation(env: Env, owner: Pick<Owner, 'tenant_id' | 'id'>, at: number): Promise<void> {
  if (at > (await writerSendsUntil(env, env.keys.shardOf(owner.id)))) return;
  await env.ports.queues.send('action', [remediationDue(owner, at)]);
}

/** The slot after that of a job (epoch ms). */
export const nextSlotOf = ({ slot, interval_seconds }: Job): number => slot + interval_seconds * 1000;

/** From when on (epoch ms) the next slot or retry is due, so that a probe would speak for another time. */
export const lateFrom = (job: Job): number => job.retry?.until ?? nextSlotOf(job);

export const isLate = (job: Job, now: number): boolean => lateFrom(job) <= now;

/** Clocks of two processes differ by less (ms). */
const SKEW_MS = 1_000;

/** A retry whose instant is farther ahead than a message can wait: it is only passing by. */
export const isAhead = ({ retry }: Job, now: number): boolean => retry !== undefined && retry.at > now + SKEW_MS;
