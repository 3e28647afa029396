import { dollarsOf, UNITS, type Unit, type Units } from './prices.ts';

/** Row of a table: units per item of one kind. */
export type Row = { name: string; units: Units };

const HEADS: Record<Unit, string> = {
  write_units: 'WRU',
  read_units: 'RRU',
  queue_requests: 'queue',
  invocations: 'invoked',
  gb_seconds: 'GB-s',
  gateway_requests: 'gateway',
  bus_events: 'bus',
  schedule_calls: 'ticks',
  file_writes: 'file put',
  file_reads: 'file get',
};
const NAME = 22;
const CELL = 9;

const number = (value: number, digits = 4): string => {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? '-' : text;
};
export const dollars = (value: number): string => `$${value.toFixed(value < 1 ? 3 : 2)}`;
const line = (cells: string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(NAME) : cell.padStart(CELL))).join(' ');

/** Formats units per item, and dollars per million items. Omits unused columns. */
export function tableOf(rows: readonly Row[]): string {
  const used = UNITS.filter((unit) => rows.some(({ units }) => Math.abs(units[unit]) >= 5e-5));
  const head = line(['', ...used.map((unit) => HEADS[unit]), '$/million']);
  const body = rows.map(({ name, units }) =>
    line([name, ...used.map((unit) => number(units[unit])), number(dollarsOf(units) * 1e6, 3)]),
  );
  return [head, ...body].join('\n');
}

/** Returns a line that compares a price ($ per million) with its maximum. */
export const verdict = (name: string, figure: number, limit: number): string =>
  `${figure <= limit ? 'ok  ' : 'OVER'} ${name}: ${dollars(figure)} per million, at most ${dollars(limit)}`;
