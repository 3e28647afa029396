import type { FieldSpec } from './form-fields.ts';

/** What is typed in a row of a list of objects, by the name of the member. */
export type Row = Readonly<Record<string, string>>;

type Columns = readonly FieldSpec[];

/** The rows of a list as a form keeps them: as what was typed, so that nothing typed is lost on the way. */
export const rowsIn = (text: string): Row[] => (text === '' ? [] : JSON.parse(text));
export const keptRows = (rows: readonly Row[]): string => JSON.stringify(rows);

/** A new row: with what holds when nothing is given. */
export const emptyRow = (columns: Columns): Row =>
  Object.fromEntries(columns.map(({ path, fallback }) => [path, fallback ?? '']));

/** A row in a line, for people to read: `latency_ms less_than, value 800, severity warn`. */
export function lineOf(columns: Columns, row: Row): string {
  const isSaid = ({ path, fallback }: FieldSpec) => row[path] && row[path] !== fallback;
  const said = columns.filter((column) => column.required || isSaid(column));
  const first = said.filter(({ required }) => required).map(({ path }) => row[path]);
  const rest = said
    .filter(({ required }) => !required)
    .map(({ path, kind, secret }) => (kind === 'boolean' ? path : `${path} ${secret ? '********' : row[path]}`));
  return [...(first.length > 0 ? [first.join(' ')] : []), ...rest].join(', ');
}
