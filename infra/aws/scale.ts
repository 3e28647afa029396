import { functions } from '#infra/topology.ts';
import { SHARDS_PER_RUN } from '#lib/schedule/emit.ts';
import { readSettings } from '#lib/settings.ts';
import { MAX_BATCH } from './event-source-limits.ts';

/** Assumptions of docs/operate/scale.md: 1-minute checks, stable outcomes, no alerts, API requests, logs or storage. */
export const ASSUMED = {
  /** List prices of us-east-1 on demand, $ per million (GB-seconds: arm64). */
  write_unit: 0.625,
  read_unit: 0.125,
  queue_request: 0.4,
  invocation: 0.2,
  gb_second: 13.3334,
  /** A request through CloudFront (HTTPS, United States), after ten million a month, without the origin. */
  cdn_request: 1,
  /** Average number of checks in a full cell, with gaps left by deletions. */
  checks_a_cell: 45,
  /** Bytes of a check item, and reads of the account per slot of a cell (docs/develop/keys.md). */
  check_bytes: 700,
  account_reads: 1,
  /** Rollup of a cell and hour: read units of the cell and of a check, write units of a check, GB-seconds. */
  rollup_reads_a_cell: 20,
  rollup_reads_a_check: 1.05,
  rollup_writes_a_check: 0.34,
  rollup_gb_seconds: 0.25,
  /** Write units of a slot: its pack, and sometimes a second pack or a separate result. */
  writes_a_slot: 1.1,
  /** Maximum number of probes per message (lib/schedule/jobs.ts). */
  probes_a_message: 100,
  /** Seconds of a prober: its requests, the response time of a target, and the CPU of a probe on a vCPU. */
  request_seconds: 0.015,
  response_seconds: 0.1,
  probe_cpu_seconds: 0.0011,
  /** Bytes of a schedule entry, and time to read a page of one megabyte (s). */
  entry_bytes: 180,
  page_seconds: 0.06,
  /** CPU time to read an entry, and to pack and send a message (s of a vCPU; measured with 20,000 of them). */
  entry_cpu_seconds: 20e-6,
  message_cpu_seconds: 45e-6,
  /** Memory with a full vCPU (MB); the share is proportional to memory. */
  vcpu_mb: 1769,
} as const;

export const MINUTES_A_MONTH = 43_200;
const MEGABYTE = 1024 * 1024;

const vcpuOf = (name: keyof typeof functions): number => Math.min(1, functions[name].memory_mb / ASSUMED.vcpu_mb);

/** Returns the invocations of the generator per minute: one for all shards, or one per shard. */
export const runsOf = (shards: number): number => (shards > SHARDS_PER_RUN ? shards : 1);

/**
 * Computes load and price of a fleet.
 * @param perMinute checks with an interval of one minute, or probes per minute
 * @param accounts number of accounts, each with an equal share of the checks
 */
export function scaleOf(
  perMinute: number,
  shards: number,
  accounts = 1,
  responseSeconds: number = ASSUMED.response_seconds,
) {
  const a = ASSUMED;
  const perSecond = perMinute / 60;
  const checksACell = Math.min(a.checks_a_cell, perMinute / accounts);
  const probesAMessage = probesPerMessage(checksACell, perSecond / runsOf(shards));
  const messages = perSecond / probesAMessage;
  const rollup = rollupOf(checksACell);
  const writes = a.writes_a_slot / checksACell + rollup.writes;
  const reads = (Math.ceil((checksACell * a.check_bytes) / 4096) + a.account_reads) / checksACell + rollup.reads;
  const seconds = runSeconds(probesAMessage, responseSeconds);
  const dollars = dollarsOf({ writes, reads, probesAMessage, seconds }) + rollup.dollars;
  const cells = perMinute / checksACell;
  return {
    per_minute: perMinute,
    shards,
    accounts,
    /** Schedule entries: one per cell and interval, and one per cell for its rollups. */
    entries: 2 * cells,
    probes_a_message: probesAMessage,
    dollars_a_million: dollars,
    dollars_a_month: (dollars * perMinute * MINUTES_A_MONTH) / 1e6,
    table_writes: perSecond * writes,
    table_reads: perSecond * reads,
    /** Concurrent probers, and their maximum number of messages. */
    probers: messages * seconds,
    in_flight: messages * seconds * MAX_BATCH,
    /** Strongly consistent reads per second of one account item: one per message. */
    reads_an_account: messages / accounts,
    ...ticksOf(cells, messages * 60, shards),
  };
}

/** Returns the table units of rollups per probe, and their compute and queue price in dollars per million probes. */
function rollupOf(checksACell: number) {
  const a = ASSUMED;
  const probes = checksACell * 60;
  return {
    reads: (a.rollup_reads_a_cell + a.rollup_reads_a_check * checksACell) / probes,
    writes: Math.ceil(1 + a.rollup_writes_a_check * checksACell) / probes,
    dollars: (a.rollup_gb_seconds * a.gb_second + a.invocation + 2.1 * a.queue_request) / probes,
  };
}

/** Returns the probes per message: a cell is not divided, and cells due within a second share a message. */
function probesPerMessage(checksACell: number, perSecond: number): number {
  const cells = Math.max(1, Math.floor(ASSUMED.probes_a_message / checksACell));
  return Math.max(checksACell, Math.min(cells * checksACell, perSecond));
}

/** Returns the seconds that a prober works on a message. Its probes run in waves of PROBES_AT_ONCE. */
function runSeconds(probes: number, responseSeconds: number): number {
  const a = ASSUMED;
  const waves = Math.ceil(probes / readSettings({}).PROBES_AT_ONCE);
  return a.request_seconds + waves * responseSeconds + (probes * a.probe_cpu_seconds) / vcpuOf('prober');
}

type Run = { writes: number; reads: number; probesAMessage: number; seconds: number };

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

/** Returns the load of the generator per minute. */
function ticksOf(cells: number, messages: number, shards: number) {
  const a = ASSUMED;
  const runs = runsOf(shards);
  const entries = 2 * cells;
  const pages = (entries * a.entry_bytes) / shards / MEGABYTE;
  const cpu = (entries * a.entry_cpu_seconds + messages * a.message_cpu_seconds) / runs;
  const seconds = pages * a.page_seconds + cpu / vcpuOf('generator');
  return {
    /** Cells per invocation, which holds the messages of all of them. */
    cells_a_run: cells / runs,
    tick_seconds: seconds,
    /** Number of concurrent generators that are needed to keep up. */
    generators: (runs * seconds) / 60,
    /** Read units per second of the partition of a shard while its entries are read. */
    partition_reads: pages < 1 ? pages * 128 : Math.min(pages * 128, 128 / a.page_seconds),
  };
}
