import type { Route } from './route.ts';
import { memberNames } from './unknown-members.ts';

type Row = Pick<Route<never>, 'method' | 'path' | 'status' | 'body' | 'reply'>;

/**
 * Members that a change passes over, so that a record can be sent back as it was read: those of its own answer and of
 * the GET of its path that its body does not know. None where a body makes something new, or only reports.
 */
export function readOnlyMembers(row: Row, rows: readonly Row[]): string[] {
  const read = rows.find((other) => other.method === 'GET' && other.path === row.path);
  const isChange = row.method === 'PUT' || (row.method === 'POST' && row.status === 200 && read !== undefined);
  if (!row.body || !isChange) return [];
  const own = new Set(memberNames(row.body));
  const shown = [row, read].flatMap((one) => (one?.reply ? memberNames(one.reply) : []));
  return [...new Set(shown)].filter((name) => !own.has(name));
}
