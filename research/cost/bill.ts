import { ASSUMED, MINUTES_A_MONTH, scaleOf } from '#infra/aws/scale.ts';
import { functions } from '#infra/topology.ts';

/** What comes on top of steady runs, for a bill as a whole. List prices of us-east-1. */
export const BESIDE = {
  /** What an https probe sends: the handshake (1.9 KB with the keys of today) and some 0.5 KB of headers. */
  bytes_out: 2400,
  gigabyte_out: 0.09,
  /** A cell's pack as it is billed: its runs, and its key with what AWS adds. */
  run_bytes: 12,
  pack_bytes: 250,
  /** An hour of a check in its cell's rollup, which is kept for 90 days. */
  rollup_bytes: 150,
  rollup_hours: 90 * 24,
  /** What a GB costs a month: kept, and restorable to each second. */
  gigabyte_stored: 0.25,
  gigabyte_restorable: 0.2,
  retention_days: 30,
  /** Of Lambda and of ours, a message; and a GB of logs. */
  log_bytes: 350,
  gigabyte_logged: 0.5,
  tenants: 100,
  /** Targets answer after 0.1 s in the median, log-normally: the slowest of 50 after 0.8 s. */
  median_seconds: 0.1,
  sigma: 1,
  /** Alarms, the own metric that is always written, and the service without a check (npm run test:nightly -- cost). */
  alarms: 77,
  alarm: 0.1,
  own_metric: 0.3,
  idle: 1.38,
} as const;

const GIGABYTE = 1e9;

/** How long (s) the slowest of `n` targets takes to answer: the quantile n/(n+1) of the log-normal (Tukey's lambda). */
export function slowestOf(n: number): number {
  const p = n / (n + 1);
  return BESIDE.median_seconds * Math.exp(BESIDE.sigma * 4.91 * (p ** 0.14 - (1 - p) ** 0.14));
}

/** A month's bill as a whole, $, item by item. @param perMinute checks of one minute */
export function allIn(perMinute: number, shards: number): Record<string, number> {
  const b = BESIDE;
  const runs = perMinute * MINUTES_A_MONTH;
  const ofOne = scaleOf(perMinute, shards);
  const { probes_a_message, dollars_a_month, entries } = scaleOf(perMinute, shards, b.tenants);
  const messages = runs / probes_a_message;
  const days = b.retention_days / 30;
  const packs = (entries / 2) * MINUTES_A_MONTH;
  const rollups = perMinute * b.rollup_hours * b.rollup_bytes;
  const stored = (days * (runs * b.run_bytes + packs * b.pack_bytes) + rollups) / GIGABYTE;
  const tail = Math.max(0, slowestOf(probes_a_message) - b.median_seconds);
  const gbSeconds = messages * tail * (functions.prober.memory_mb / 1024);
  return {
    runs: ofOne.dollars_a_month,
    'data out': ((runs * b.bytes_out) / GIGABYTE) * b.gigabyte_out,
    'slow targets': (gbSeconds * ASSUMED.gb_second) / 1e6,
    tenants: dollars_a_month - ofOne.dollars_a_month,
    storage: stored * b.gigabyte_stored,
    'point-in-time recovery': stored * b.gigabyte_restorable,
    logs: ((messages * b.log_bytes) / GIGABYTE) * b.gigabyte_logged,
    alarms: b.alarms * b.alarm + b.own_metric,
    'pollers and ticks': b.idle,
  };
}
