import type { LocalPorts } from '#infra/local/ports.ts';
import type { Log } from '#lib/platform/ports.ts';

const EVERY_MS = 60_000;
/** Items deleted per batch, which takes about 3 ms, and pause between two batches. */
const BATCH = 100;
const REST_MS = 10;
/** Retention of dead letters, as in SQS. */
const DEAD_LETTER_DAYS = 14;

/**
 * Deletes expired items and old dead letters once a minute, items in small batches.
 * @param wakeConsumers called each minute, because messages of admin commands, other processes, do not wake them
 * @returns a function that stops the sweep
 */
export function startSweep({ table, queues, clock }: LocalPorts, log: Log, wakeConsumers: () => void): () => void {
  let stopped = false;
  let timer = setTimeout(round, EVERY_MS);

  async function round(): Promise<void> {
    wakeConsumers();
    try {
      await queues.sweep(clock.now() - DEAD_LETTER_DAYS * 86_400_000);
      while (!stopped && (await table.sweep(clock.now() / 1000, BATCH)) === BATCH) await clock.sleep(REST_MS);
    } catch (error) {
      log.error('expired items not deleted, will be retried', { error });
    }
    if (!stopped) timer = setTimeout(round, EVERY_MS);
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
