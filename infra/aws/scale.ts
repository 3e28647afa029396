import { functions } from '#infra/topology.ts';
import { SHARDS_PER_RUN } from '#lib/schedule/emit.ts';
import { readSettings } from '#lib/settings.ts';
import { MAX_BATCH } from './event-source-limits.ts';

/**
 * What a fleet costs, by arithmetic. docs/operate/scale.md shows it, and a test recomputes it. It covers checks of one
 * minute whose outcome changes nothing, without alerts, API calls, logs and storage.
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
  /** On average: cells that are full, but for holes that deletions left. */
  checks_a_cell: 45,
  /** A check item, and how much an account is read beside the cells of a message (docs/develop/keys.md). */
  check_bytes: 700,
  account_reads: 1,
  /** An hour of a cell, rolled up: read units of the cell and of a check, write units of a check, GB-seconds. */
  rollup_reads_a_cell: 20,
  rollup_reads_a_check: 1.05,
  rollup_writes_a_check: 0.34,
  rollup_gb_seconds: 0.25,
  /** Write units of a cell's slot: its pack, and for some a second one or a result of its own. */
  writes_a_slot: 1.1,
  /** lib/schedule/jobs.ts */
  probes_a_message: 100,
  /** A prober's run (s): its requests, a target's answer, and the CPU of a probe on a whole vCPU. */
  request_seconds: 0.015,
  answer_seconds: 0.1,
  probe_cpu_seconds: 0.0011,
  /** Size of a schedule entry (bytes), and what a page of a megabyte takes to read (s). */
  entry_bytes: 180,
  page_seconds: 0.06,
  /** CPU (s of a whole vCPU) to read an entry, and to pack and send a message; measured with 20,000 of them. */
  entry_cpu_seconds: 20e-6,
  message_cpu_seconds: 45e-6,
  /** A vCPU; memory decides the share of it. */
  vcpu_mb: 1769,
} as const;

export const MINUTES_A_MONTH = 43_200;
const MEGABYTE = 1024 * 1024;

/** The share of a vCPU that a function has. */
const vcpuOf = (name: keyof typeof functions): number => Math.min(1, functions[name].memory_mb / ASSUMED.vcpu_mb);

/** One run of the generator emits all shards, or each has a run of its own. */
const runsOf = (shards: number): number => (shards > SHARDS_PER_RUN ? shards : 1);

/**
 * @param perMinute checks of one minute, or runs a minute of any
 * @param shards the setting SHARDS
 * @param accounts that have as many checks each
 */
export function scaleOf(perMinute: number, shards: number, accounts = 1) {
  const a = ASSUMED;
  const perSecond = perMinute / 60;
  const checksACell = Math.min(a.checks_a_cell, perMinute / accounts);
  const probesAMessage = packed(checksACell, perSecond / runsOf(shards));
  const messages = perSecond / probesAMessage;
  const rollup = rollupOf(checksACell);
  const writes = a.writes_a_slot / checksACell + rollup.writes;
  const reads = (Math.ceil((checksACell * a.check_bytes) / 4096) + a.account_reads) / checksACell + rollup.reads;
  const seconds = runSeconds(probesAMessage);
  const dollars = dollarsOf({ writes, reads, probesAMessage, seconds }) + rollup.millions;
  const cells = perMinute / checksACell;
  return {
    per_minute: perMinute,
    shards,
    accounts,
    /** Of the schedule: one a cell and interval, and one a cell for its rollups. */
    entries: 2 * cells,
    probes_a_message: probesAMessage,
    dollars_a_million: dollars,
    dollars_a_month: (dollars * perMinute * MINUTES_A_MONTH) / 1e6,
    /** Units a second of the table. */
    table_writes: perSecond * writes,
    table_reads: perSecond * reads,
    /** Probers at the same time, and what they hold at most. */
    probers: messages * seconds,
    in_flight: messages * seconds * MAX_BATCH,
    /** Strong reads a second of the item of one account: one a message. */
    account_reads: messages / accounts,
    ...ticksOf(cells, messages * 60, shards),
  };
}

/** Rollups, by the run: units of the table, and what they cost beside them ($ a million). */
function rollupOf(checksACell: number) {
  const a = ASSUMED;
  const runs = checksACell * 60;
  return {
    reads: (a.rollup_reads_a_cell + a.rollup_reads_a_check * checksACell) / runs,
    writes: Math.ceil(1 + a.rollup_writes_a_check * checksACell) / runs,
    millions: (a.rollup_gb_seconds * a.gb_second + a.invocation + 2.1 * a.queue_request) / runs,
  };
}

/** Probes of a message: cells are not divided, and those that are due within a second share it. */
function packed(checksACell: number, perSecond: number): number {
  const cells = Math.max(1, Math.floor(ASSUMED.probes_a_message / checksACell));
  return Math.max(checksACell, Math.min(cells * checksACell, perSecond));
}

/** How long a prober runs for a message: so many probes begin at once, and then the next. */
function runSeconds(probes: number): number {
  const a = ASSUMED;
  const waves = Math.ceil(probes / readSettings({}).PROBES_AT_ONCE);
  return a.request_seconds + waves * a.answer_seconds + (probes * a.probe_cpu_seconds) / vcpuOf('prober');
}

type Run = { writes: number; reads: number; probesAMessage: number; seconds: number };

/** A million steady runs. */
function dollarsOf({ writes, reads, probesAMessage, seconds }: Run): number {
  const a = ASSUMED;
  // A tenth of a request to send, one to receive, one to delete.
  const queueRequests = 2.1 / probesAMessage;
  const gbSeconds = ((functions.prober.memory_mb / 1024) * seconds) / probesAMessage;
  return (
    writes * a.write_unit +
    reads * a.read_unit +
    queueRequests * a.queue_request +
    a.invocation / probesAMessage +
    gbSeconds * a.gb_second
  );
}

/** What the generator does each minute. Up to SHARDS_PER_RUN shards are one run's, which reads them side by side. */
function ticksOf(cells: number, messages: number, shards: number) {
  const a = ASSUMED;
  const runs = runsOf(shards);
  const entries = 2 * cells;
  const pages = (entries * a.entry_bytes) / shards / MEGABYTE;
  const cpu = (entries * a.entry_cpu_seconds + messages * a.message_cpu_seconds) / runs;
  const seconds = pages * a.page_seconds + cpu / vcpuOf('generator');
  return {
    /** Cells of one run, which holds the messages of all of them. */
    cells_a_run: cells / runs,
    /** Seconds of one run: reading, then packing and sending. */
    tick_seconds: seconds,
    /** Generators at the same time that keep up. */
    generators: (runs * seconds) / 60,
    /** Units a second that the reading takes of a partition. */
    partition_reads: pages < 1 ? pages * 128 : Math.min(pages * 128, 128 / a.page_seconds),
  };
}
