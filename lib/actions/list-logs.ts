import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { LOG_LINES } from '#lib/keys/prefixes.ts';
import { after as above, stamp } from '#lib/keys.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import type { ExecutionItem, LogItem } from './execution.ts';

/** A reported line; `seq` counts from 1. */
export const LogLine = z
  .object({
    seq: z.int().describe('Its number, from 1 on.'),
    line: z.string().describe('The line, without secrets of the action.'),
    reported_at: z.iso.datetime().describe('When it was reported.'),
  })
  .meta({ id: 'LogLine' });
export type LogLine = z.infer<typeof LogLine>;

/** Number of a line in a query; 0, the default, is before the first. */
export const LineNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
  .default(0)
  .meta({ type: 'integer', minimum: 0 });

/** Lines that one report holds at most: so far back may lie the item that holds a line. */
const LINES_AN_ITEM = 100;

/**
 * The log lines of an execution in order. A position is the number of a line. A read-only key sees no URL in them.
 * @param from number of the line behind which they begin
 */
export function logLines(
  { ports, keys, tenant, caller }: Context,
  execution: ExecutionItem,
  from: number,
): Reader<LogLine> {
  return async (after, limit) => {
    const seen = Number(after ?? from);
    const { items, next } = await ports.table.query<LogItem>({
      partition: keys.ofExecution(tenant, execution.id),
      from: `${LOG_LINES}${stamp(seen + 2 - LINES_AN_ITEM)}`,
      to: above(LOG_LINES),
      // Those before the position are left out of what was found; there may be an item for each.
      limit: limit + LINES_AN_ITEM,
    });
    const lines = items
      .flatMap(({ seq, lines, reported_at }) => lines.map((line, i) => ({ seq: seq + i, line, reported_at })))
      .filter(({ seq }) => seq > seen);
    const shown = (value: LogLine) => (seesSecrets(caller) ? value : { ...value, line: redactUrls(value.line) });
    const found = lines.slice(0, limit).map((value) => ({ at: String(value.seq), value: shown(value) }));
    const more = next !== undefined || lines.length > found.length;
    return { found, next: more ? found.at(-1)?.at : undefined };
  };
}
