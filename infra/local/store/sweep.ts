import type { LocalPorts } from '#infra/local/ports.ts';
import type { Log } from '#lib/platform/ports.ts';

const EVERY_MS = 60_000;
/** Items deleted at once, some 3 ms, and the rest between two batches. */
const BATCH = 100;
const REST_MS = 10;
/** As long as SQS keeps a message. */
const DEAD_LETTER_DAYS = 14;

/**
 * Deletes what has expired, once a minute, in small batches, so that nobody waits for it.
 * @param also runs with it: what an operator's CLI wrote wakes nobody by itself
 * @returns stops it
 */
export function startSweep({ table, queues, clock }: LocalPorts, log: Log, also: () => void): () => void {
  let stopped = false;
  let timer = setTimeout(round, EVERY_MS);

  async function round(): Promise<void> {
    also();
    try {
      await queues.sweep(clock.now() - DEAD_LETTER_DAYS * 86_400_000);
      while (!stopped && (await table.sweep(clock.now() / 1000, BATCH)) === BATCH) await clock.sleep(REST_MS);
    } catch (error) {
      log.error('expired items could not be deleted and are tried again', { error });
    }
    if (!stopped) timer = setTimeout(round, EVERY_MS);
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
