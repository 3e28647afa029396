import { ASSUMED } from '#infra/aws/scale.ts';

/** Counted units, as AWS bills them. GB-seconds are for arm64. */
export const UNITS = [
  'write_units',
  'read_units',
  'queue_requests',
  'invocations',
  'gb_seconds',
  'gateway_requests',
  'bus_events',
  'schedule_calls',
  'file_writes',
  'file_reads',
] as const;
export type Unit = (typeof UNITS)[number];
export type Units = Record<Unit, number>;

/** List prices of us-east-1, $ per million. */
const DOLLARS_A_MILLION: Units = {
  write_units: ASSUMED.write_unit,
  read_units: ASSUMED.read_unit,
  queue_requests: ASSUMED.queue_request,
  invocations: ASSUMED.invocation,
  gb_seconds: ASSUMED.gb_second,
  gateway_requests: 1,
  bus_events: 1,
  schedule_calls: 1,
  file_writes: 5,
  file_reads: 0.4,
};

/** Further prices, $ per GB: storage for a month, logs. */
export const GIGABYTE = { stored_month: 0.25, logged: 0.5 };

export const noUnits = (): Units => Object.fromEntries(UNITS.map((unit) => [unit, 0])) as Units;

export const dollarsOf = (units: Units): number =>
  UNITS.reduce((sum, unit) => sum + (units[unit] * DOLLARS_A_MILLION[unit]) / 1e6, 0);

export const sumOf = (list: readonly Units[]): Units => {
  const sum = noUnits();
  for (const units of list) for (const unit of UNITS) sum[unit] += units[unit];
  return sum;
};

export const differenceOf = (more: Units, less: Units): Units =>
  Object.fromEntries(UNITS.map((unit) => [unit, more[unit] - less[unit]])) as Units;

export const dividedBy = (units: Units, count: number): Units =>
  Object.fromEntries(UNITS.map((unit) => [unit, units[unit] / count])) as Units;
