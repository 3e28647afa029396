import type { Env } from '#lib/env.ts';
import { cellOf } from '#lib/keys.ts';
import type { DueDeadline, Job, MessageTo, RollupMessage } from '#lib/messages.ts';
import { MAX_DELAY_MS } from '#lib/platform/batch.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Message } from '#lib/platform/ports.ts';
import { CLOCK_TOLERANCE_MS } from '#lib/platform/time.ts';
import type { CellInterval, Owner } from './entries.ts';
import { writerSendsUntil } from './watermark.ts';

/** Job, and the approximate number of checks that it probes. */
export type CellJob = { job: Job; checks: number };

/** Returns the jobs of a cell's entry at slots (epoch ms). */
export const cellJobs = (
  { tenant_id, cell, interval_seconds, checks }: CellInterval & { checks: number },
  slots: number[],
): CellJob[] => slots.map((slot) => ({ job: { tenant_id, cell, interval_seconds, slot }, checks }));

/** Maximum number of probes per message: two full cells, because a prober waits for the slowest probe. */
const MAX_PROBES = 100;
const MAX_DEADLINES = 50;

/** Probes per second from which a tenant has its own messages, because it fills them. */
const MIN_PROBES_ALONE = MAX_PROBES;

/** Packs jobs into messages by interval of JOB_GROUP_MS, delivered at its end so that no probe is early. */
export function packJobs(jobs: CellJob[], groupMs: number): MessageTo<'job'>[] {
  const isAlone = (own: CellJob[]) => probesOf(own) >= (MIN_PROBES_ALONE * groupMs) / 1000;
  return groupedByTime(jobs, ({ job }) => job.slot, groupMs).flatMap(([not_before, group]) => {
    const tenants = [...Map.groupBy(group, ({ job }) => job.tenant_id).values()];
    const parts = [...tenants.filter(isAlone), tenants.filter((own) => !isAlone(own)).flat()].flatMap(partsOf);
    return parts.map((part) => ({ body: { jobs: part }, not_before, ...groupOf(part) }));
  });
}

const probesOf = (jobs: CellJob[]): number => jobs.reduce((sum, { checks }) => sum + checks, 0);

/** Packs jobs into messages: the largest, filled up to MAX_PROBES with the smallest. */
function partsOf(jobs: CellJob[]): Job[][] {
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

function groupOf(jobs: Job[]): Pick<Message, 'group'> {
  const { tenant_id } = jobs[0]!;
  return jobs.every((job) => job.tenant_id === tenant_id) ? { group: tenant_id } : {};
}

/** Sends a probe of one check for a slot (epoch ms). */
export async function sendProbe(
  { ports }: Env,
  { tenant_id, id, interval_seconds }: { tenant_id: string; id: string; interval_seconds: number },
  slot: number,
): Promise<void> {
  const job: Job = { tenant_id, cell: cellOf(id), interval_seconds, slot, only: [id] };
  await ports.queues.send('job', [{ body: { jobs: [job] }, group: tenant_id }]);
}

/** Maximum number of slow probes per message, which is in progress until the last has ended. */
const MAX_SLOW_PER_MESSAGE = 10;

export const packSlowJob = (job: Job, checkIds: string[]): MessageTo<'slow'>[] =>
  chunks(checkIds, MAX_SLOW_PER_MESSAGE).map((only) => ({
    body: { slow_jobs: [{ ...job, only }] },
    group: job.tenant_id,
  }));

const RETRY_DELAY_MS = 1_000;

/** Packs each job into a message for its future retry, at most MAX_DELAY_MS ahead; without one, for a second later. */
export const packAlone = (jobs: Job[], now: number): MessageTo<'job'>[] =>
  jobs.map((job) => {
    const isAhead = job.retry !== undefined && job.retry.at > now;
    const not_before = isAhead ? Math.min(job.retry!.at, now + MAX_DELAY_MS) : now + RETRY_DELAY_MS;
    return { body: { jobs: [job] }, not_before, group: job.tenant_id };
  });

/**
 * Delay of a deadline message by sender, a multiple of JOB_GROUP_MS. Generator, writer and repeats each send one in
 * case one is lost. The delays differ so that the first message moves the deadline and the others cost one read each.
 */
const DELAY_GROUPS = { generator: 0, writer: 1, repeat: 2 };

/** Packs deadlines into messages like `packJobs`; all that are due by `now` (epoch ms) go together. */
export const packDeadlines = (
  deadlines: DueDeadline[],
  source: keyof typeof DELAY_GROUPS,
  groupMs: number,
  now: number,
): MessageTo<'deadline'>[] =>
  groupedByTime(deadlines, (deadline) => Math.max(deadline.at, now), groupMs).flatMap(([at, group]) =>
    chunks(byEntity(group), MAX_DEADLINES).map((part) => ({
      body: { deadlines: part },
      not_before: at + DELAY_GROUPS[source] * groupMs,
    })),
  );

/** Groups items due in the same interval of JOB_GROUP_MS; each group has the end of its interval (epoch ms). */
const groupedByTime = <T>(list: T[], dueAt: (one: T) => number, groupMs: number): [number, T[]][] =>
  [...Map.groupBy(list, (one) => Math.ceil(dueAt(one) / groupMs) * groupMs)].sort(([a], [b]) => a - b);

/** Sorts deadlines by entity, because writers of an entity take turns. */
const byEntity = (deadlines: DueDeadline[]): DueDeadline[] =>
  deadlines.sort((a, b) => (a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0));

/** Returns the messages of a scheduled action's executions, delivered at their slots. */
export const executionsDue = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  slots: number[],
): MessageTo<'action'>[] =>
  slots.map((slot) => ({
    body: { kind: 'schedule', tenant_id, action_id: id, slot },
    not_before: slot,
    group: tenant_id,
  }));

/** Returns the message of a guarded action whose verification or next attempt is due at `at` (epoch ms). */
export const remediationDue = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  at: number,
): MessageTo<'action'> => ({
  body: { kind: 'remediation', tenant_id, action_id: id },
  not_before: at,
  group: tenant_id,
});

/** Returns the message that publishes a status page at its deadline (epoch ms). */
export const publicationDue = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  deadline: number,
  now: number,
): MessageTo<'publish'> => ({
  body: { tenant_id, page_id: id, not_older_than: deadline },
  not_before: Math.max(deadline, now),
  group: tenant_id,
});

/** Returns the message that sends the monthly report of a user at its deadline (epoch ms). */
export const reportDue = (
  { tenant_id, id }: Pick<Owner, 'tenant_id' | 'id'>,
  deadline: number,
  now: number,
): MessageTo<'publish'> => ({
  body: { tenant_id, recipient_id: id, at: deadline },
  not_before: Math.max(deadline, now),
  group: tenant_id,
});

export const rollupsDue = (
  { tenant_id, cell }: Pick<CellInterval, 'tenant_id' | 'cell'>,
  slots: number[],
): Message<RollupMessage>[] => slots.map((slot) => ({ body: { tenant_id, cell }, not_before: slot, group: tenant_id }));

/** Delay (ms) of a deadline while the schedule is behind, because checks are not monitored then. */
const POSTPONE_MS = 5_000;

/** Returns a deadline for another attempt; `now`: epoch ms. */
export const postponed = (deadline: DueDeadline, now: number): DueDeadline => ({ ...deadline, at: now + POSTPONE_MS });

/** Sends messages of new deadlines due before the generator sees them; it repeats them until they are handled. */
export async function sendDeadlines(env: Env, deadlines: DueDeadline[]): Promise<void> {
  const { ports, keys } = env;
  const shardOf = (deadline: DueDeadline) => keys.shardOf(deadline.check_id);
  const shards = [...new Set(deadlines.map(shardOf))];
  const until = await Promise.all(shards.map((shard) => writerSendsUntil(env, shard)));
  const due = deadlines.filter((deadline) => deadline.at <= until[shards.indexOf(shardOf(deadline))]!);
  if (due.length === 0) return;
  await ports.queues.send('deadline', packDeadlines(due, 'writer', ports.settings.JOB_GROUP_MS, ports.clock.now()));
}

/** Sends the message of a guarded action's new deadline, like `sendDeadlines`. */
export async function sendRemediation(env: Env, owner: Pick<Owner, 'tenant_id' | 'id'>, at: number): Promise<void> {
  if (at > (await writerSendsUntil(env, env.keys.shardOf(owner.id)))) return;
  await env.ports.queues.send('action', [remediationDue(owner, at)]);
}

/** Returns the slot after that of a job (epoch ms). */
export const nextSlotOf = ({ slot, interval_seconds }: Job): number => slot + interval_seconds * 1000;

/** Returns the time (epoch ms) of the next slot or retry, from which a probe would be too late. */
export const lateFrom = (job: Job): number => job.retry?.until ?? nextSlotOf(job);

export const isLate = (job: Job, now: number): boolean => lateFrom(job) <= now;

/** Whether a retry arrived before its time, because a message could not wait that long; it is sent again. */
export const isEarly = ({ retry }: Job, now: number): boolean =>
  retry !== undefined && retry.at > now + CLOCK_TOLERANCE_MS;
