import type { scaleOf } from '#infra/aws/scale.ts';
import { functions } from '#infra/topology.ts';

/** Maximum number of concurrent batches of an SQS event source that sets no maximum concurrency. */
const MAX_CONCURRENCY = 1250;

/** Default quotas of AWS, and the limit of a generator. A new table sustains `warm_…`, later twice its last peak. */
export const QUOTAS = {
  warm_writes: 4000,
  warm_reads: 12_000,
  /** Write units per second, and the same number of read units. */
  table_units: 40_000,
  concurrency: 1000,
  partition_reads: 3000,
  /** Messages of a queue that were received and not yet deleted. */
  in_flight: 120_000,
  /**
   * Cells whose messages fit into a generator of 512 MB, including the messages of the previous minute if its tick was
   * missed; measured.
   */
  cells_a_run: 40_000,
} as const;

/** Returns the exceeded limits, each with its remedy if there is one. */
export function limitsOf(scale: ReturnType<typeof scaleOf>): string[] {
  return [
    Math.max(scale.probers, scale.generators) > MAX_CONCURRENCY &&
      `the concurrent batches of an event source (${MAX_CONCURRENCY})`,
    scale.reads_an_account > QUOTAS.partition_reads &&
      'the reads of the item of an account, if it has all of these checks (spread them over several accounts)',
    scale.in_flight > QUOTAS.in_flight && `the messages of a queue in flight (${QUOTAS.in_flight})`,
    scale.probers > QUOTAS.concurrency && `the account's concurrency (${QUOTAS.concurrency}; ask AWS for more)`,
    (scale.table_writes > QUOTAS.warm_writes || scale.table_reads > QUOTAS.warm_reads) &&
      `the throughput of a new table (${QUOTAS.warm_writes} write and ${QUOTAS.warm_reads} read units a second; set its warm throughput)`,
    Math.max(scale.table_writes, scale.table_reads) > QUOTAS.table_units &&
      `the table's quotas of writes and reads (${QUOTAS.table_units} units a second; ask AWS for more)`,
    scale.cells_a_run > QUOTAS.cells_a_run && 'the memory of a generator (SHARDS)',
    scale.tick_seconds > functions.generator.timeout_seconds / 2 && 'the time of a tick (SHARDS)',
    scale.partition_reads > QUOTAS.partition_reads && 'the reads of a partition of the schedule (SHARDS)',
  ].filter((one) => one !== false);
}
