import { recheckSuppressed } from '#lib/alerting/deadlines/recheck-suppressed.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { ProberWork } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';
import { makeProber, runJobs } from '#lib/results/slots/run-jobs.ts';
import { packAlone } from '#lib/schedule/jobs.ts';

const handleDeadlines = lazyFunction(
  async () => (await import('#lib/alerting/deadlines/handle-deadlines.ts')).handleDeadlines,
);

/** Runs jobs and deadlines. Jobs that did not run or could not be recorded are sent again, alone. */
export function create(ports: Ports) {
  const env = { ...envOf(ports), onChange };
  const prober = makeProber(env);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, async (body) => {
      const work = ProberWork.parse(body);
      if ('deadlines' in work) return handleDeadlines(env, work.deadlines);
      if ('wake' in work) return recheckSuppressed(env, work);
      const unfinished = await runJobs(env, work, prober, context?.signal);
      // After an abort the message itself is retried, so that it becomes a dead letter after too many receives.
      context?.signal?.throwIfAborted();
      if (unfinished.length > 0) await env.ports.queues.send('job', packAlone(unfinished, ports.clock.now()));
    });
}
