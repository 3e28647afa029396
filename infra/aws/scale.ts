import { functions } from '#infra/topology.ts';
import { SHARDS_TOGETHER } from '#lib/schedule/emit.ts';
import { LARGEST_BATCH, MOST_CONCURRENCY } from './event-source-limits.ts';

/**
 * What a fleet costs and where it ends, by arithmetic. docs/SCALE.md shows it, and a test recomputes it. It covers
 * checks of one minute whose outcome changes nothing, without alerts, API calls, logs and storage.
 */
export const ASSUMED = {
  /** List prices of us-east-1 on demand, $ per million (GB-seconds: arm64). */
  write_unit: 0.625,
  read_unit: 0.125,
  queue_request: 0.4,
  invocation: 0.2,
  gb_second: 13.3334,
  /** A request through CloudFront (HTTPS, United States), after ten million a month, without what lies behind it. */
  cdn_request: 1,
  /**
   * Per run: one write, a few twice as large; a strong read of the check, and a share of the schedule (lib/KEYS.md).
   */
  writes_a_run: 1.05,
  reads_a_run: 1.15,
  /** lib/schedule/jobs.ts */
  jobs_a_message: 50,
  /** A prober's run: connecting and answering of the slowest of some targets, reading, recording (s). */
  run_seconds: 0.35,
  /** Size of a schedule entry (bytes), and what a page of a megabyte takes to read (s). */
  entry_bytes: 250,
  page_seconds: 0.06,
  /** CPU (s of a whole vCPU) to read, pack and send the job of one entry; measured: 5 to 7 millionths. */
  entry_cpu_seconds: 6.5e-6,
  /** A vCPU; memory decides the share of it. */
  vcpu_mb: 1769,
} as const;

/** Quotas as an account has them at first. A new table bears `warm_writes`, and twice its last peak after that. */
export const QUOTAS = {
  warm_writes: 4000,
  /** Write units a second, and as many read units. */
  table_units: 40_000,
  concurrency: 1000,
  partition_reads: 3000,
  /** Messages of a queue that were received and are not yet deleted. */
  in_flight: 120_000,
} as const;

const MINUTES_A_MONTH = 43_200;
const MEGABYTE = 1024 * 1024;

/** What comes on top of steady runs, for a bill as a whole. List prices of us-east-1. */
export const BESIDE = {
  /** What an https probe sends: the handshake (1.9 KB with the keys of today) and some 0.5 KB of headers. */
  bytes_out: 2400,
  gigabyte_out: 0.09,
  /** A result as it is billed, and what a GB of it costs a month: kept, and restorable to each second. */
  result_bytes: 400,
  gigabyte_stored: 0.25,
  gigabyte_restorable: 0.2,
  retention_days: 30,
  /** Of Lambda and of ours, a message; and a GB of logs. */
  log_bytes: 350,
  gigabyte_logged: 0.5,
  /** Each further account in a message is one more strong read. */
  tenants: 100,
  /** Targets answer after 0.1 s in the median, log-normally: the slowest of 50 after 0.8 s. */
  median_seconds: 0.1,
  sigma: 1,
  /** Alarms, the metric of our own that is always written, and the service without a check (npm run bench:cost). */
  alarms: 57,
  alarm: 0.1,
  own_metric: 0.3,
  idle: 1.17,
} as const;

const GIGABYTE = 1e9;

/** How long (s) the slowest of `n` targets takes to answer: the quantile n/(n+1) of the log-normal (Tukey's lambda). */
export function slowestOf(n: number): number {
  const p = n / (n + 1);
  return BESIDE.median_seconds * Math.exp(BESIDE.sigma * 4.91 * (p ** 0.14 - (1 - p) ** 0.14));
}

/** Accounts that are met in a message, where jobs are spread over all of them alike. */
const accountsIn = (jobs: number): number => BESIDE.tenants * (1 - (1 - 1 / BESIDE.tenants) ** jobs);

/** A month's bill as a whole, $, item by item. @param perMinute checks of one minute */
export function allIn(perMinute: number, shards: number): Record<string, number> {
  const b = BESIDE;
  const runs = perMinute * MINUTES_A_MONTH;
  const { jobs_a_message: jobs, dollars_a_month } = scaleOf(perMinute, shards);
  const messages = runs / jobs;
  const stored = (runs * (b.retention_days / 30) * b.result_bytes) / GIGABYTE;
  const tail = Math.max(0, slowestOf(jobs) - b.median_seconds);
  const gbSeconds = messages * tail * (functions.prober.memory_mb / 1024);
  return {
    runs: dollars_a_month,
    'data out': ((runs * b.bytes_out) / GIGABYTE) * b.gigabyte_out,
    'slow targets': (gbSeconds * ASSUMED.gb_second) / 1e6,
    tenants: (messages * Math.max(0, accountsIn(jobs) - 1) * ASSUMED.read_unit) / 1e6,
    storage: stored * b.gigabyte_stored,
    'point-in-time recovery': stored * b.gigabyte_restorable,
    logs: ((messages * b.log_bytes) / GIGABYTE) * b.gigabyte_logged,
    alarms: b.alarms * b.alarm + b.own_metric,
    'pollers and ticks': b.idle,
  };
}

export type Scale = ReturnType<typeof scaleOf>;

/** @param perMinute checks of one minute, or runs a minute of any @param shards the setting SHARDS */
export function scaleOf(perMinute: number, shards: number) {
  const a = ASSUMED;
  const perSecond = perMinute / 60;
  const jobsAMessage = Math.max(1, Math.min(a.jobs_a_message, perSecond / (shards > SHARDS_TOGETHER ? shards : 1)));
  const messages = perSecond / jobsAMessage;
  const dollars = dollarsOf(jobsAMessage);
  const probers = messages * a.run_seconds;
  return {
    per_minute: perMinute,
    shards,
    jobs_a_message: jobsAMessage,
    dollars_a_million: dollars,
    dollars_a_month: (dollars * perMinute * MINUTES_A_MONTH) / 1e6,
    /** Units a second of the table. */
    table_writes: perSecond * a.writes_a_run,
    table_reads: perSecond * a.reads_a_run,
    /** Probers at the same time, and what they hold at most. */
    probers,
    in_flight: probers * LARGEST_BATCH,
    /** Strong reads a second of the item of an account that has all of the checks: one a message. */
    account_reads: messages,
    ...ticksOf(perMinute, shards),
  };
}

/** A million steady runs. */
function dollarsOf(jobsAMessage: number): number {
  const a = ASSUMED;
  // A tenth of a request to send, one to receive, one to delete.
  const queueRequests = 2.1 / jobsAMessage;
  const gbSeconds = ((functions.prober.memory_mb / 1024) * a.run_seconds) / jobsAMessage;
  return (
    a.writes_a_run * a.write_unit +
    a.reads_a_run * a.read_unit +
    queueRequests * a.queue_request +
    a.invocation / jobsAMessage +
    gbSeconds * a.gb_second
  );
}

/** What the generator does each minute. Up to SHARDS_TOGETHER shards are one run's, which reads them side by side. */
function ticksOf(perMinute: number, shards: number) {
  const a = ASSUMED;
  const runs = shards > SHARDS_TOGETHER ? shards : 1;
  const pages = (perMinute * a.entry_bytes) / shards / MEGABYTE;
  const vcpu = Math.min(1, functions.generator.memory_mb / a.vcpu_mb);
  const seconds = pages * a.page_seconds + ((perMinute / runs) * a.entry_cpu_seconds) / vcpu;
  return {
    /** Seconds of one run: reading, then packing and sending. */
    tick_seconds: seconds,
    /** Generators at the same time that keep up. */
    generators: (runs * seconds) / 60,
    /** Units a second that the reading takes of a partition. */
    partition_reads: pages < 1 ? pages * 128 : Math.min(pages * 128, 128 / a.page_seconds),
  };
}

/** What is met first, and which setting moves it. */
export function limitsOf(scale: Scale): string[] {
  return [
    Math.max(scale.probers, scale.generators) > MOST_CONCURRENCY &&
      `what an event source has in hand (${MOST_CONCURRENCY} batches)`,
    scale.account_reads > QUOTAS.partition_reads &&
      'the reads of the item of one account, if it has all of these checks (spread them over several)',
    scale.in_flight > QUOTAS.in_flight && `the messages of a queue in hand (${QUOTAS.in_flight})`,
    scale.probers > QUOTAS.concurrency && `the account's concurrency (${QUOTAS.concurrency}; ask AWS for more)`,
    scale.table_writes > QUOTAS.warm_writes &&
      `what a new table bears (${QUOTAS.warm_writes} write units a second; set its warm throughput)`,
    Math.max(scale.table_writes, scale.table_reads) > QUOTAS.table_units &&
      `the table's quotas of writes and reads (${QUOTAS.table_units} units a second; ask AWS for more)`,
    scale.tick_seconds > functions.generator.timeout_seconds / 2 && 'the time of a tick (SHARDS)',
    scale.partition_reads > QUOTAS.partition_reads && 'the reads of a partition of the schedule (SHARDS)',
  ].filter((one) => one !== false);
}
