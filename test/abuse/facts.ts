import type { Fact } from './attack.ts';
import type { Load } from './load.ts';
import type { Outcome } from './outcome.ts';
import type { Usage } from './usage.ts';

/** Longest stalls of the event loop: by the clock, which the load of the machine lengthens, and in CPU time (ms). */
export type Stalls = { stall_ms: number; stall_cpu_ms: number };

/** Measurements of one case. `outcome` is missing if the service did not respond afterwards. */
export type Measured = { load: Load; usage: Usage & Stalls; outcome?: Outcome; isAlive: boolean };

/** Limits for the victim and the process during an attack. */
const DELAY_P99_MS = 500;
const ALERT_P95_MS = 500;
const READ_P99_MS = 100;
const MEMORY_MB = 600;
const STALL_CPU_MS = 50;

/** The figures of a case, as one row of the table. */
export type Row = Record<(typeof COLUMNS)[number], string>;
export const COLUMNS = [
  'slots lost',
  'probe delay p50/p99 ms',
  'false downs',
  'alert p50/p95 ms',
  'action p95 ms',
  'GET p50/p99 ms',
  'refused',
  'memory MB',
  'CPU %',
  'longest stall ms',
  'longest turn CPU ms',
] as const;

/** Returns the requirements for the victim and the process. */
export function factsOf({ load, usage, outcome, isAlive }: Measured): Fact[] {
  const facts = [
    { holds: isAlive, fact: 'the process is alive' },
    { holds: megabytes(usage) < MEMORY_MB, fact: `the process takes less than ${MEMORY_MB} MB` },
    {
      holds: quantile(load.gets, 0.99) < READ_P99_MS,
      fact: `99 % of the victim's reads take less than ${READ_P99_MS} ms`,
    },
    {
      holds: usage.stall_cpu_ms <= STALL_CPU_MS,
      fact: `no turn of the event loop takes more than ${STALL_CPU_MS} ms of CPU`,
    },
    { holds: load.refused.length === 0, fact: 'every call of the victim gets the expected response' },
  ];
  if (!outcome) return [...facts, { holds: false, fact: 'the outcome of the victim can be read afterwards' }];
  const { slots, lost, delays, false_downs, false_failures, alerts, actions } = outcome;
  return [
    ...facts,
    { holds: slots > 0 && lost === 0, fact: 'no slot of the victim is lost' },
    {
      holds: quantile(delays, 0.99) < DELAY_P99_MS,
      fact: `99 % of the victim's probes begin within ${DELAY_P99_MS} ms of their slot`,
    },
    { holds: false_downs === 0 && false_failures === 0, fact: 'no probed check of the victim fails or goes down' },
    {
      holds: quantile(alerts, 0.95) < ALERT_P95_MS,
      fact: `95 % of the victim's alerts arrive within ${ALERT_P95_MS} ms`,
    },
    {
      holds: quantile(actions, 0.95) < ALERT_P95_MS,
      fact: `95 % of the victim's actions arrive within ${ALERT_P95_MS} ms`,
    },
  ];
}

export function rowOf({ load, usage, outcome }: Measured): Row {
  const spread = (list: number[], ...shares: number[]) => shares.map((share) => shown(quantile(list, share))).join('/');
  return {
    'slots lost': outcome ? `${outcome.lost}/${outcome.slots}` : '?',
    'probe delay p50/p99 ms': outcome ? spread(outcome.delays, 0.5, 0.99) : '?',
    'false downs': outcome ? String(outcome.false_downs) : '?',
    'alert p50/p95 ms': outcome ? spread(outcome.alerts, 0.5, 0.95) : '?',
    'action p95 ms': outcome ? spread(outcome.actions, 0.95) : '?',
    'GET p50/p99 ms': spread(load.gets, 0.5, 0.99),
    refused: String(load.refused.length),
    'memory MB': String(megabytes(usage)),
    'CPU %': String(Math.round(100 * usage.cpu)),
    'longest stall ms': shown(usage.stall_ms),
    'longest turn CPU ms': shown(usage.stall_cpu_ms),
  };
}

const megabytes = ({ peak_bytes }: Pick<Usage, 'peak_bytes'>): number => Math.round(peak_bytes / 2 ** 20);
const shown = (ms: number): string => (Number.isFinite(ms) ? String(Math.round(ms)) : 'never');

/** Returns the quantile of a list; Infinity if it is empty. */
function quantile(list: number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.POSITIVE_INFINITY;
}
