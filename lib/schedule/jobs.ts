import type { Keys } from '#lib/keys.ts';
import type { Job, MessageOf } from '#lib/messages.ts';
import type { Message, Ports } from '#lib/platform/ports.ts';
import type { Owner } from './entries.ts';
import { handover } from './watermark.ts';

/** Jobs a message carries at most: 8 KB, well under the price step of 64 KB, and one batch of reads. */
const JOBS_A_MESSAGE = 50;

/**
 * Packs jobs into messages: those due within the same JOB_GROUP_MS travel together and are handed out at its end, so
 * that no probe comes before its slot. Jobs of one entity stay together.
 */
export function packJobs(jobs: Job[], groupMs: number): Message[] {
  const groups = new Map<number, Job[]>();
  for (const job of jobs) {
    const due = Math.ceil(job.slot / groupMs) * groupMs;
    const group = groups.get(due);
    if (group) group.push(job);
    else groups.set(due, [job]);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .flatMap(([not_before, group]) => {
      group.sort((a, b) => (a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0));
      return chunks(group, JOBS_A_MESSAGE).map((part) => ({
        body: { jobs: part } satisfies MessageOf<'job'>,
        not_before,
      }));
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

export type Timer = MessageOf<'timer'>;

/**
 * Sends the messages of deadlines that were just written, as far as they are due before the generator takes over; it
 * emits the later ones, and these too until they are handled.
 */
export async function sendTimers(ports: Ports, keys: Keys, timers: Timer[]): Promise<void> {
  const [first] = timers;
  if (!first) return;
  const until = await handover(ports, keys, first.entity_id);
  const due = timers.filter((timer) => timer.at <= until);
  if (due.length > 0)
    await ports.queues.send(
      'timer',
      due.map((timer) => ({ body: timer, not_before: timer.at })),
    );
}
