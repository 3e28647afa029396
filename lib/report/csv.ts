import { toCsv } from '#lib/platform/csv.ts';
import type { ReportEntity, ReportMonth } from './report.ts';

const COLUMNS: readonly [string, (month: ReportMonth) => string | number | boolean | null][] = [
  ['month', ({ month }) => month],
  ['complete', ({ complete }) => complete],
  ['known_since', ({ known_since }) => known_since],
  ['uptime', ({ uptime }) => uptime],
  ['coverage', ({ coverage }) => coverage],
  ['down_seconds', ({ down_seconds }) => down_seconds],
  ['degraded_seconds', ({ degraded_seconds }) => degraded_seconds],
  ['maintenance_seconds', ({ maintenance_seconds }) => maintenance_seconds],
  ['down_in_maintenance_seconds', ({ down_in_maintenance_seconds }) => down_in_maintenance_seconds],
  ['incidents', ({ incidents }) => incidents],
  ['slos', ({ slos }) => slos.length],
  ['slos_exhausted', ({ slos }) => slos.filter(({ state }) => state === 'exhausted').length],
];

/** Returns the report as CSV with a header and a line per entity and month. A figure without data is empty. */
export function reportCsv(entities: readonly ReportEntity[]): string {
  const lines = entities.flatMap(({ entity_name, blueprint_slug, slug, months }) =>
    months.map((month) => [
      withoutFormula(entity_name),
      blueprint_slug,
      slug,
      ...COLUMNS.map(([, cell]) => String(cell(month) ?? '')),
    ]),
  );
  return `${toCsv([['entity', 'blueprint', 'slug', ...COLUMNS.map(([name]) => name)], ...lines])}\n`;
}

/** Puts an apostrophe before a name that starts like a formula, because a spreadsheet would run it. */
const withoutFormula = (name: string): string => (/^[=+\-@\t\r]/.test(name) ? `'${name}` : name);
