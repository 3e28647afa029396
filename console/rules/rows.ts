import type { FieldSpec } from './form-fields.ts';

/** Form values of a row, by property. */
export type Row = Readonly<Record<string, string>>;

export const NO_ROWS = '[]';

type Columns = readonly FieldSpec[];

export const rowsIn = (text: string): Row[] => (text === '' ? [] : JSON.parse(text));

export const textOfRows = (rows: readonly Row[]): string => JSON.stringify(rows);

/** Creates a row with default values. @param single whether it has exactly one property */
export const emptyRow = (columns: Columns, single: boolean): Row =>
  single ? rowOf(columns[0]!) : Object.fromEntries(columns.map(({ path, fallback }) => [path, fallback ?? '']));

export const rowOf = ({ path, kind }: FieldSpec): Row => ({ [path]: kind === 'boolean' ? 'true' : '' });

/** Summarizes a row: `latency_ms less_than, value 800, severity warn`. */
export function lineOf(columns: Columns, row: Row): string {
  const isSet = ({ path, fallback }: FieldSpec) => row[path] && row[path] !== fallback;
  const shown = columns.filter((column) => column.required || isSet(column));
  const first = shown.filter(({ required }) => required).map(({ path }) => row[path]);
  const rest = shown
    .filter(({ required }) => !required)
    .map(({ path, kind, secret }) => (kind === 'boolean' ? path : `${path} ${secret ? '********' : row[path]}`));
  return [...(first.length > 0 ? [first.join(' ')] : []), ...rest].join(', ');
}
