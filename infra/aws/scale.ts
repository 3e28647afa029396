import { functions } from '#infra/topology.ts';
import { SHARDS_TOGETHER } from '#lib/schedule/emit.ts';
import { LARGEST_BATCH } from './event-source-limits.ts';

/**
 * What a fleet costs, by arithmetic. docs/SCALE.md shows it, and a test recomputes it. It covers checks of one minute
 * whose outcome changes nothing, without alerts, API calls, logs and storage.
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

export const MINUTES_A_MONTH = 43_200;
const MEGABYTE = 1024 * 1024;

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
