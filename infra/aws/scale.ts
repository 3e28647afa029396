import { functions, queues } from '#infra/topology.ts';
import { SHARDS_TOGETHER } from '#lib/schedule/emit.ts';

/**
 * What a fleet costs and where it ends, by arithmetic: docs/SCALE.md shows it, a test recomputes it. Steady checks of one
 * minute whose outcome changes nothing; alerts, API calls, logs and storage are beside it.
 */
export const ASSUMED = {
  /** List prices of us-east-1 on demand, $ per million (GB-seconds: arm64). */
  write_unit: 0.625,
  read_unit: 0.125,
  queue_request: 0.4,
  invocation: 0.2,
  gb_second: 13.3334,
  /** One write each, a few of them twice as large; its check read strongly, and a share of the schedule (lib/KEYS.md). */
  writes_a_run: 1.1,
  reads_a_run: 1.15,
  /** lib/schedule/jobs.ts */
  jobs_a_message: 50,
  /** A prober's run: connecting and answering of the slowest of some targets, reading, recording (s). */
  run_seconds: 0.35,
  /** Size of a schedule entry (bytes), and what a page of a megabyte takes to read (s). */
  entry_bytes: 250,
  page_seconds: 0.06,
} as const;

/** Quotas as an account has them at first. */
export const QUOTAS = { table_writes: 40_000, concurrency: 1000, partition_reads: 3000, in_flight: 120_000 } as const;

const MINUTES_A_MONTH = 43_200;
const MEGABYTE = 1024 * 1024;

export type Scale = ReturnType<typeof scaleOf>;

/** @param perMinute checks of one minute, or runs a minute of any @param shards the setting SHARDS */
export function scaleOf(perMinute: number, shards: number) {
  const a = ASSUMED;
  const perSecond = perMinute / 60;
  const jobsAMessage = Math.max(1, Math.min(a.jobs_a_message, perSecond / (shards > SHARDS_TOGETHER ? shards : 1)));
  const messages = perSecond / jobsAMessage;
  // A tenth of a request to send, one to receive, one to delete.
  const queueRequests = 2.1 / jobsAMessage;
  const gbSeconds = ((functions.prober.memory_mb / 1024) * a.run_seconds) / jobsAMessage;
  const dollars =
    a.writes_a_run * a.write_unit +
    a.reads_a_run * a.read_unit +
    queueRequests * a.queue_request +
    a.invocation / jobsAMessage +
    gbSeconds * a.gb_second;
  const pages = (perMinute * a.entry_bytes) / shards / MEGABYTE;
  return {
    per_minute: perMinute,
    shards,
    jobs_a_message: jobsAMessage,
    dollars_a_million: dollars,
    dollars_a_month: (dollars * perMinute * MINUTES_A_MONTH) / 1e6,
    /** Write units a second of the table. */
    table_writes: perSecond * a.writes_a_run,
    /** Probers at the same time. */
    probers: messages * a.run_seconds,
    /** Seconds of a tick that one shard is read for, and the units a second that it takes of its partition. */
    tick_seconds: pages * a.page_seconds,
    partition_reads: pages < 1 ? pages * 128 : Math.min(pages * 128, 128 / a.page_seconds),
  };
}

/** What is met first, and which setting moves it. */
export function limitsOf(scale: Scale): string[] {
  return [
    scale.probers > queues.job.concurrency &&
      `the concurrency of the queue \`job\` (${queues.job.concurrency} in infra/topology.ts)`,
    scale.probers > QUOTAS.concurrency && `the account's concurrency (${QUOTAS.concurrency}; ask AWS for more)`,
    scale.table_writes > QUOTAS.table_writes &&
      `the table's write quota (${QUOTAS.table_writes} units a second; ask AWS for more)`,
    scale.tick_seconds > functions.generator.timeout_seconds / 2 && 'the time of a tick (SHARDS)',
    scale.partition_reads > QUOTAS.partition_reads && 'the reads of a partition of the schedule (SHARDS)',
  ].filter((one) => one !== false);
}
