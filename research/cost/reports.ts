import { idleDollars, watchDollars } from '#infra/aws/fixed-costs.ts';
import { MINUTES_A_MONTH } from '#infra/aws/scale.ts';
import { DEFAULT_LIMITS } from '#lib/access/account.ts';
import { CELL_SIZE } from '#lib/checks/settings/cells.ts';
import { keptDays } from '#lib/history/rollups/buckets.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { EXTRAS, fixedOf, outDollars } from './bill.ts';
import { differenceOf, dividedBy, dollarsOf, GIGABYTE, noUnits, sumOf, type Units } from './prices.ts';
import { dollars, type Row, tableOf, verdict } from './report-table.ts';
import {
  changes,
  HEARTBEAT,
  heartbeats,
  idle,
  PATHS,
  PING,
  passkeySignIns,
  pings,
  rolledHour,
  SIGN_IN,
  steady,
  unconfirmed,
} from './scenarios.ts';
import type { Counted } from './virtual-aws.ts';

/** Part of the output, and its targets. */
export type Report = { title: string; text: string; targets?: string[] };

const DOWN = 0.01;
const FLEET = 1000;
const ROLLUPS = PATHS.housekeeping!;

const unitsOf = ({ paths }: Counted, path: string): Units => paths.get(path) ?? noUnits();
const totalOf = ({ paths }: Counted): Units => sumOf([...paths.values()]);

/** Sums the counts of several fleets. */
function together(fleets: readonly Counted[]): Counted {
  const sum = (member: 'results' | 'result_bytes' | 'log_bytes') =>
    fleets.reduce((total, fleet) => total + fleet[member], 0);
  const cpu = fleets.reduce((total, { cpu_ms }) => total + (cpu_ms.get('prober') ?? 0), 0);
  const names = new Set(fleets.flatMap(({ paths }) => [...paths.keys()]));
  return {
    ...fleets[0]!,
    paths: new Map([...names].map((name) => [name, sumOf(fleets.map((fleet) => unitsOf(fleet, name)))])),
    results: sum('results'),
    result_bytes: sum('result_bytes'),
    log_bytes: sum('log_bytes'),
    cpu_ms: new Map([['prober', cpu]]),
  };
}

/** Returns the units of each path per item, and their sum. */
function rowsOf(counted: Counted, count: number): Row[] {
  const rows = [...counted.paths].map(([name, units]) => ({ name, units: dividedBy(units, count) }));
  return [...rows, { name: 'total', units: dividedBy(totalOf(counted), count) }];
}

const aMillion = (units: Units, count: number): number => (dollarsOf(units) / count) * 1e6;

function extrasOf({ result_bytes, results, log_bytes, cpu_ms }: Counted): string {
  const stored = (result_bytes / results) * GIGABYTE.stored_month * 1e-3;
  const logged = (log_bytes / results) * GIGABYTE.logged * 1e-3;
  const cpu = (cpu_ms.get('prober') ?? 0) / results;
  return `In addition, per million: ${dollars(stored)} per month of storage, ${dollars(logged)} for logs. CPU per run: ${cpu.toFixed(2)} ms.`;
}

const hours = new Map<number, Promise<Counted>>();

/** Counts an hour of cells with its rollup. @param checks per cell */
function countHour(checks: number): Promise<Counted> {
  const hour = hours.get(checks) ?? rolledHour(checks);
  hours.set(checks, hour);
  return hour;
}

/**
 * Replaces the units of rollups by the units of an hour in proportion to the runs, because each hour is rolled up once.
 */
async function withRollups(counted: Counted, checksATenant: number): Promise<Counted> {
  const hour = await countHour(Math.min(CELL_SIZE, checksATenant));
  const parts = hour.results / counted.results;
  const paths = new Map(counted.paths).set(ROLLUPS, dividedBy(unitsOf(hour, ROLLUPS), parts));
  return { ...counted, paths, rollup_bytes: hour.rollup_bytes / parts };
}

/** Prices a steady fleet. @param fleets number of fleets, which differ in their ids; the price is their mean */
async function steadyFleet(checks: number, minutes: number, limit: number, fleets: number): Promise<Report> {
  const prices: number[] = [];
  const all: Counted[] = [];
  for (let seed = 1; seed <= fleets; seed++) {
    const fleet = await withRollups(await steady(checks, minutes, { fails: checks * DOWN }, { seed }), checks);
    prices.push(aMillion(totalOf(fleet), fleet.results));
    all.push(fleet);
  }
  const counted = together(all);
  const { results } = counted;
  const expected = checks * minutes * fleets;
  if (Math.abs(results - expected) > expected * 0.01) throw new Error(`${results} runs instead of ${expected}.`);
  const name = `${checks.toLocaleString('en')} steady checks per minute of one account, 1 % of them down`;
  return {
    title: `${name}: per run, of ${results}`,
    text: `${tableOf(rowsOf(counted, results))}\n${extrasOf(counted)}\nFleets: ${prices.map(dollars).join(', ')} per million.`,
    targets: [verdict(name, aMillion(totalOf(counted), results), limit)],
  };
}

/** Number of small fleets to average: how many of their 20 cells share messages depends on random phases. */
const FLEETS = 4;

export const steady1000 = (minutes: number): Promise<Report> => steadyFleet(1000, Math.ceil(minutes / 2), 0.16, FLEETS);
export const steady10000 = (minutes: number): Promise<Report> => steadyFleet(10_000, minutes, 0.12, 1);

/** Prices 10,000 checks per minute of many accounts: with fewer checks per account, cells are smaller. */
export async function manyAccounts(minutes: number): Promise<Report> {
  const rows: Row[] = [];
  for (const tenants of [100, 1000]) {
    const steadily = await steady(10_000, Math.ceil(minutes / 2), { fails: 10_000 * DOWN }, { tenants });
    const counted = await withRollups(steadily, 10_000 / tenants);
    const name = `${tenants.toLocaleString('en')} accounts of ${10_000 / tenants}`;
    rows.push({ name, units: dividedBy(totalOf(counted), counted.results) });
  }
  return { title: '10,000 steady checks per minute of many accounts, 1 % of them down: per run', text: tableOf(rows) };
}

/** Prices runs that keep failing, and runs with some timeouts. */
export async function failing(minutes: number): Promise<Report> {
  const runs = { 'all answer': {}, 'all fail': { fails: FLEET }, '1 % time out': { hangs: FLEET * DOWN } };
  const rows: Row[] = [];
  for (const [name, spread] of Object.entries(runs)) {
    const counted = await steady(FLEET, Math.ceil(minutes / 2), spread);
    rows.push({ name, units: dividedBy(unitsOf(counted, PATHS.job!), counted.results) });
  }
  return { title: `Runs of ${FLEET} checks per minute, only the prober`, text: tableOf(rows) };
}

const UNCONFIRMED = 200;
/** Maximum write units: the result, and the changed check. */
const MAX_RETRY_UNITS = 4;

/** Prices runs of checks with an unconfirmed change, in slots and as retries between slots. */
export async function retries(minutes: number): Promise<Report> {
  const slots = await unconfirmed(UNCONFIRMED, minutes, 0);
  const both = await unconfirmed(UNCONFIRMED, minutes, 20);
  const count = both.results - slots.results;
  const retry = dividedBy(differenceOf(unitsOf(both, PATHS.job!), unitsOf(slots, PATHS.job!)), count);
  const rows = [
    { name: 'a slot', units: dividedBy(unitsOf(slots, PATHS.job!), slots.results) },
    { name: 'a retry', units: retry },
  ];
  const isOver = retry.write_units > MAX_RETRY_UNITS;
  return {
    title: `Run of a check with an unconfirmed change, of ${slots.results} slots and ${count} retries, only the prober`,
    text: tableOf(rows),
    targets: [`${isOver ? 'OVER' : 'ok  '} a retry: ${retry.write_units} WRU, at most ${MAX_RETRY_UNITS}`],
  };
}

/** Prices a complete month: many accounts, some slow targets, and items other than requests. */
async function allInFleet(checks: number, minutes: number): Promise<Report> {
  const { tenants } = ASSUMPTIONS;
  const steadily = await steady(checks, minutes, { fails: checks * DOWN }, { tenants, vary: true });
  const counted = await withRollups(steadily, checks / tenants);
  const { results, result_bytes, rollup_bytes, log_bytes } = counted;
  const month = (checks * MINUTES_A_MONTH) / results;
  const hourDays = keptDays('hour', DEFAULT_LIMITS.rollup_days);
  const stored = (month * (result_bytes + rollup_bytes * (hourDays / EXTRAS.retention_days))) / 1e9;
  const items: Record<string, number> = {
    'counted, with pollers and ticks': dollarsOf(totalOf(counted)) * month,
    'data out': outDollars((month * results * EXTRAS.bytes_out) / 1e9),
    storage: stored * GIGABYTE.stored_month,
    'point-in-time recovery': stored * EXTRAS.gigabyte_restorable,
    logs: ((month * log_bytes) / 1e9) * GIGABYTE.logged,
    'alarms, metric, secret': watchDollars(fixedOf()),
  };
  const sum = Object.values(items).reduce((all, one) => all + one, 0);
  return {
    title: `All in: ${checks.toLocaleString('en')} checks per minute of ${ASSUMPTIONS.tenants} accounts, per month`,
    text: `${Object.entries(items)
      .map(([name, value]) => `${name} ${dollars(value)}`)
      .join(', ')}: total ${dollars(sum)}.`,
  };
}

export const allIn1000 = (minutes: number): Promise<Report> => allInFleet(1000, minutes);
export const allIn10000 = (minutes: number): Promise<Report> => allInFleet(10_000, Math.ceil(minutes / 2));

const INCIDENTS = 200;
/** Alerts of a busy day. */
const ALERTS_A_DAY = 1000;

/** Prices checks with a webhook that go down and up again, compared with the same fleet without an incident. */
export async function alerts(): Promise<Report> {
  const calm = await changes(FLEET, INCIDENTS, false);
  const counted = await changes(FLEET, INCIDENTS, true);
  const more = (path: string) => differenceOf(unitsOf(counted, path), unitsOf(calm, path));
  const own = ['notifier', 'deliverer', 'action planner'];
  const others = [...counted.paths.keys()].filter((path) => !own.includes(path) && dollarsOf(more(path)) !== 0);
  const rows = [
    ...others.map((path) => ({ name: `additional ${path}`, units: dividedBy(more(path), counted.transitions) })),
    ...own.map((name) => ({ name, units: dividedBy(more(name), counted.transitions) })),
  ];
  const total = sumOf(rows.map(({ units }) => units));
  const a_day = dollarsOf(total) * ALERTS_A_DAY;
  return {
    title: `Per state change, of ${counted.transitions}, with ${counted.alerts} alerts`,
    text: [
      tableOf([...rows, { name: 'total', units: total }]),
      `A day with ${ALERTS_A_DAY} alerts: $${a_day.toFixed(4)}; a month of such days: ${dollars(a_day * 30)}.`,
    ].join('\n'),
  };
}

/** Prices push checks with one heartbeat per minute. */
export async function heartbeat(minutes: number): Promise<Report> {
  const counted = await heartbeats(1000, minutes);
  const { results } = counted;
  const api = unitsOf(counted, HEARTBEAT);
  const bare = { ...api, gateway_requests: 0 };
  return {
    title: `1,000 heartbeats per minute: per heartbeat, of ${results}`,
    text: [
      tableOf(rowsOf(counted, results)),
      'The targets are for the request. In addition, the deadline of each check is evaluated every one or two minutes.',
    ].join('\n'),
    targets: [
      verdict('heartbeats through the API', aMillion(api, results), 2.4),
      verdict("heartbeats without the gateway's price", aMillion(bare, results), 1.4),
    ],
  };
}

/** Prices push checks with one ping per minute, also with a start before each ping. */
export async function ping(minutes: number): Promise<Report> {
  const [alone, paired] = [await pings(1000, minutes, false), await pings(1000, minutes, true)];
  const byUrl = (counted: Counted) => ({ ...unitsOf(counted, PING), gateway_requests: 0 });
  return {
    title: `1,000 pings per minute: per ping, of ${alone.results}; and 1,000 runs with start and end, of ${paired.results}`,
    text: [tableOf(rowsOf(alone, alone.results)), tableOf(rowsOf(paired, paired.results))].join('\n'),
    targets: [
      verdict('pings through the API', aMillion(unitsOf(alone, PING), alone.results), 2.45),
      verdict('pings by PingUrl', aMillion(byUrl(alone), alone.results), 1.45),
      verdict('runs with a start and an end by PingUrl', aMillion(byUrl(paired), paired.results), 10),
    ],
  };
}

const SIGN_INS = 10;
/** Maximum units of the table (docs/develop/keys.md). */
const MAX_SIGN_IN_UNITS = { read_units: 5, write_units: 11 };

/** Prices a sign-in with a passkey, including its options. */
export async function passkeys(): Promise<Report> {
  const { paths } = await passkeySignIns(SIGN_INS);
  const units = dividedBy(paths.get(SIGN_IN) ?? noUnits(), SIGN_INS);
  const { read_units, write_units } = units;
  const isOver = read_units > MAX_SIGN_IN_UNITS.read_units || write_units > MAX_SIGN_IN_UNITS.write_units;
  const most = `at most ${MAX_SIGN_IN_UNITS.read_units} and ${MAX_SIGN_IN_UNITS.write_units}`;
  return {
    title: `Sign-in with a passkey, of ${SIGN_INS}`,
    text: tableOf([{ name: 'options and sign-in', units }]),
    targets: [`${isOver ? 'OVER' : 'ok  '} sign-in with a passkey: ${read_units} RRU, ${write_units} WRU, ${most}`],
  };
}

export const MAX_IDLE_DOLLARS = 1.4;

/** Counts the service without checks. @returns $ a month by path */
export async function idlePaths(minutes: number): Promise<Map<string, number>> {
  const counted = await idle(minutes);
  return new Map([...counted.paths].map(([name, units]) => [name, (dollarsOf(units) / minutes) * MINUTES_A_MONTH]));
}

/** Prices the service without checks. */
export async function idleMonth(minutes: number): Promise<Report> {
  const paths = await idlePaths(minutes);
  const sum = [...paths.values()].reduce((all, one) => all + one, 0);
  const fixed = fixedOf();
  const rows = [...paths].map(([name, value]) => `${name}: ${dollars(value)}`);
  return {
    title: 'Month of the idle service',
    text:
      `${rows.join(', ')}, total ${dollars(sum)}; computed for the stack: ${dollars(idleDollars(fixed))}. ` +
      `In addition ${fixed.alarms.count} alarms ${dollars(fixed.alarms.dollars)}, ` +
      `metric ${dollars(fixed.metric.dollars)}, secret ${dollars(fixed.secrets.dollars)}.`,
    targets: [
      `${sum <= MAX_IDLE_DOLLARS ? 'ok  ' : 'OVER'} idle: ${dollars(sum)} a month, at most ${dollars(MAX_IDLE_DOLLARS)}`,
    ],
  };
}
