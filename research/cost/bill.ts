import { ASSUMED, MINUTES_A_MONTH, scaleOf } from '#infra/aws/scale.ts';
import { functions } from '#infra/topology.ts';

/** Items of a complete bill in addition to steady runs. List prices of us-east-1. */
export const EXTRAS = {
  /** Bytes sent by an https probe: the handshake (1.9 KB with current keys) and some 0.5 KB of headers. */
  bytes_out: 2400,
  gigabyte_out: 0.09,
  /** Billed bytes of a pack: per run, and its key with the overhead of AWS. */
  run_bytes: 12,
  pack_bytes: 250,
  /** Bytes of an hour of a check in the rollup of its cell, which is kept for 90 days. */
  rollup_bytes: 150,
  rollup_hours: 90 * 24,
  /** Price per GB and month of storage, and of point-in-time recovery. */
  gigabyte_stored: 0.25,
  gigabyte_restorable: 0.2,
  retention_days: 30,
  /** Log bytes of Lambda and the service per message; and price per GB of logs. */
  log_bytes: 350,
  gigabyte_logged: 0.5,
  tenants: 100,
  /** Latency of targets: median 0.1 s, log-normal; the slowest of 50 takes 0.8 s. */
  median_seconds: 0.1,
  sigma: 1,
  /** Alarms, the always published metric, and the service without checks (npm run test:nightly -- cost). */
  alarms: 77,
  alarm: 0.1,
  own_metric: 0.3,
  idle: 1.38,
} as const;

const GIGABYTE = 1e9;

/** Returns the latency (s) of the slowest of `n` targets: quantile n/(n+1) of the log-normal (Tukey's lambda). */
export function slowestOf(n: number): number {
  const p = n / (n + 1);
  return EXTRAS.median_seconds * Math.exp(EXTRAS.sigma * 4.91 * (p ** 0.14 - (1 - p) ** 0.14));
}

/** Returns the complete bill of a month in $, item by item. @param perMinute checks with an interval of one minute */
export function allIn(perMinute: number, shards: number): Record<string, number> {
  const b = EXTRAS;
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
