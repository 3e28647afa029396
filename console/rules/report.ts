import type { EntityHistory } from '#console/api/records.ts';
import { toCsv } from './csv.ts';

/** Entity of the report, as in the fleet. */
export type ReportEntity = { id: string; name: string; blueprint_slug: string; slug: string };

/** Numbers of months that can be shown, the current one included. */
export const MONTH_COUNTS = [3, 6, 12];

/** Returns the start of the month, a number of months before the current one. @param now epoch ms */
export function monthStart(now: number, before: number): string {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - before, 1)).toISOString();
}

/** Returns the month of a bucket: `2026-11`. */
export const monthOf = ({ from }: { from: string }): string => from.slice(0, 7);

const COLUMNS = [
  'entity',
  'blueprint',
  'slug',
  'month',
  'complete',
  'known_since',
  'uptime',
  'coverage',
  'down_seconds',
  'degraded_seconds',
  'maintenance_seconds',
  'down_in_maintenance_seconds',
];

/** A name that starts like a formula gets an apostrophe, because spreadsheets run formulas. */
const plain = (name: string): string => (/^[=+\-@\t\r]/.test(name) ? `'${name}` : name);

/** Returns the report as CSV: a line per entity and month. Without data, uptime is empty. */
export function reportCsv(entities: readonly ReportEntity[], histories: readonly EntityHistory[]): string {
  const known = new Map(histories.map((history) => [history.entity_id, history.buckets]));
  const lines = entities.flatMap(({ id, name, blueprint_slug, slug }) =>
    (known.get(id) ?? []).map((bucket) => [
      plain(name),
      blueprint_slug,
      slug,
      monthOf(bucket),
      String(bucket.complete),
      bucket.known_since ?? '',
      String(bucket.uptime ?? ''),
      String(bucket.coverage ?? ''),
      String(bucket.seconds.down),
      String(bucket.seconds.degraded),
      String(bucket.seconds.maintenance),
      String(bucket.down_in_maintenance_seconds),
    ]),
  );
  return `${toCsv([COLUMNS, ...lines])}\n`;
}
