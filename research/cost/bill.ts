import { type FixedCosts, fixedCostsOf, idleDollars, watchDollars } from '#infra/aws/fixed-costs.ts';
import { ASSUMED, MINUTES_A_MONTH, scaleOf } from '#infra/aws/scale.ts';
import { DeploySettings } from '#infra/aws/settings.ts';
import { functions } from '#infra/topology.ts';

/** Items of a complete bill in addition to steady runs. List prices of us-east-1. */
export const EXTRAS = {
  /** Bytes sent by an https probe: the handshake (1.9 KB with current keys) and some 0.5 KB of headers. */
  bytes_out: 2400,
  /** $ per GB sent to the internet, and the GB a month up to which each price holds. 100 GB free are not deducted. */
  out_tiers: [
    { up_to: 10_240, gigabyte: 0.09 },
    { up_to: 51_200, gigabyte: 0.085 },
    { up_to: 153_600, gigabyte: 0.07 },
    { up_to: Number.POSITIVE_INFINITY, gigabyte: 0.05 },
  ],
  /** Billed bytes of a pack: per run, and its key with the overhead of AWS. */
  run_bytes: 12,
  pack_bytes: 250,
  /** Bytes per check in an hourly rollup of its cell, which is kept for 90 days. */
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
  /** Sigma of the latency of targets, log-normal; with a median of 0.1 s, the slowest of 50 takes 0.8 s. */
  sigma: 1,
} as const;

const GIGABYTE = 1e9;

/** Returns the price in $ of gigabytes sent in a month. */
export function outDollars(gigabytes: number): number {
  let [from, sum] = [0, 0];
  for (const { up_to, gigabyte } of EXTRAS.out_tiers) {
    sum += Math.max(0, Math.min(gigabytes, up_to) - from) * gigabyte;
    from = up_to;
  }
  return sum;
}

/** Returns the latency (s) of the slowest of `n` targets: quantile n/(n+1) of the log-normal (Tukey's lambda). */
export function slowestOf(n: number, medianSeconds: number = ASSUMED.response_seconds): number {
  const p = n / (n + 1);
  return medianSeconds * Math.exp(EXTRAS.sigma * 4.91 * (p ** 0.14 - (1 - p) ** 0.14));
}

/** Returns the cost of a stack without checks. @param given settings that differ from the defaults */
export const fixedOf = (given: Record<string, string> = {}): FixedCosts => fixedCostsOf(DeploySettings.parse(given));

let fixed: FixedCosts | undefined;

/**
 * Returns the complete bill of a month in $, item by item.
 * @param perMinute checks with an interval of one minute
 * @param responseSeconds median latency of targets
 */
export function allIn(perMinute: number, shards: number, responseSeconds: number = ASSUMED.response_seconds) {
  const b = EXTRAS;
  fixed ??= fixedOf();
  const runs = perMinute * MINUTES_A_MONTH;
  const ofOne = scaleOf(perMinute, shards, 1, responseSeconds);
  const { probes_a_message, dollars_a_month, entries } = scaleOf(perMinute, shards, b.tenants, responseSeconds);
  const messages = runs / probes_a_message;
  const months = b.retention_days / 30;
  const cells = entries / 2;
  const packs = cells * MINUTES_A_MONTH;
  const rollups = perMinute * b.rollup_hours * b.rollup_bytes;
  const stored = (months * (runs * b.run_bytes + packs * b.pack_bytes) + rollups) / GIGABYTE;
  const tail = Math.max(0, slowestOf(probes_a_message, responseSeconds) - responseSeconds);
  const gbSeconds = messages * tail * (functions.prober.memory_mb / 1024);
  return {
    runs: ofOne.dollars_a_month,
    'data out': outDollars((runs * b.bytes_out) / GIGABYTE),
    'slow targets': (gbSeconds * ASSUMED.gb_second) / 1e6,
    tenants: dollars_a_month - ofOne.dollars_a_month,
    storage: stored * b.gigabyte_stored,
    'point-in-time recovery': stored * b.gigabyte_restorable,
    logs: ((messages * b.log_bytes) / GIGABYTE) * b.gigabyte_logged,
    'alarms, metric, secret': watchDollars(fixed),
    'pollers and ticks': idleDollars(fixed),
  };
}
