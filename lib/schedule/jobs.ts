import type { Job, MessageOf } from '#lib/messages.ts';
import type { Message, Ports } from '#lib/platform/ports.ts';

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

export type Timer = MessageOf<'timer'>;

/** Sends a deadline's message when it is due before `until`; a later one is the generator's. */
export async function sendTimer(ports: Ports, timer: Timer, until: number): Promise<void> {
  if (timer.at <= until) await ports.queues.send('timer', [{ body: timer, not_before: timer.at }]);
}
