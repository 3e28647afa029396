import { handleTimers } from '#lib/alerts/handle-timers.ts';
import { ownNetwork } from '#lib/health/own-network.ts';
import { runJobs } from '#lib/health/run-jobs.ts';
import { keyTable } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { semaphore } from '#lib/platform/semaphore.ts';

/** A probe that hangs for longer (ms) takes no CPU, and no place from those that wait to begin. */
const BEGINS_MS = 250;

/** Executes jobs and deadlines. Jobs that could not be recorded go back alone, not with their batch. */
export function create(ports: Ports) {
  const keys = keyTable(ports.settings);
  const place = semaphore(ports.settings.PROBES_AT_ONCE, () => ports.clock.sleep(BEGINS_MS));
  const prober = { place, network: ownNetwork(ports) };
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, async (body) => {
      const job = messages.job.safeParse(body);
      if (!job.success) return handleTimers(ports, keys, messages.timer.parse(body).timers);
      const failed = await runJobs(ports, keys, job.data.jobs, prober, context?.signal);
      // What it left undone when its time was over comes again with the message, which knows how often that was.
      context?.signal?.throwIfAborted();
      if (failed.length > 0)
        await ports.queues.send('job', [{ body: { jobs: failed }, not_before: ports.clock.now() + 1000 }]);
    });
}
