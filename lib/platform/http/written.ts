import { LINES, PLAIN_TEXT, type Route } from './route.ts';

/** An answer as it is sent. */
type Written = { text: string; type?: string };

/** What a row answers, in the form that its caller takes: a text, a record a line, or JSON, which needs no word. */
export function writtenAs<Context>(
  row: Pick<Route<Context>, 'text' | 'lines'>,
  value: unknown,
  accept?: string,
): Written {
  if (row.text) return { text: value as string, type: PLAIN_TEXT };
  if (row.lines && wantsLines(accept)) return { text: linesOf(value as unknown[]), type: LINES };
  return { text: JSON.stringify(value) };
}

const wantsLines = (accept = ''): boolean =>
  accept.split(',').some((type) => type.split(';', 1)[0]!.trim().toLowerCase() === LINES);

const linesOf = (records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
