import * as z from 'zod';
import type { Context, TenantScope } from '#lib/access/context.ts';
import { redactUrls, seesSecrets } from '#lib/access/redaction.ts';
import { historyStart } from '#lib/access/retention.ts';
import { ACTIONS, after as above, LOG_LINES, stamp, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId } from '#lib/platform/ids.ts';
import { type ActionRecord, actionRecord } from './action.ts';
import type { ActionItem } from './action-item.ts';
import {
  type ExecutionItem,
  type ExecutionRecord,
  executionRecord,
  type LogItem,
  type RunPointer,
} from './execution.ts';

/** Returns the action of a path. Throws NOT_FOUND. */
export async function requireAction({ ports, keys, tenant }: TenantScope, id: string): Promise<ActionItem> {
  const action = isId('act', id) ? await ports.table.get<ActionItem>(keys.action(tenant, id)) : undefined;
  if (!action) throw notFound(`Action ${id}`);
  return action;
}

/** Returns a reader of all actions of a tenant, oldest first. */
export function actionList(context: Context): Reader<ActionRecord> {
  const { ports, keys, tenant } = context;
  return async (after, limit) => {
    const { items, next } = await ports.table.query<ActionItem>({
      partition: keys.actions(tenant),
      ...under(ACTIONS),
      limit,
      after,
    });
    return { found: items.map((item) => ({ at: item.sk, value: actionRecord(context, item) })), next };
  };
}

/** Returns the execution of a path, and its action. Throws NOT_FOUND, also for an expired one or a deleted action. */
export async function requireExecution(
  context: Context,
  id: string,
): Promise<{ execution: ExecutionItem; action: ActionItem }> {
  const { ports, keys, tenant } = context;
  const execution = isId('exe', id) ? await ports.table.get<ExecutionItem>(keys.execution(tenant, id)) : undefined;
  const action = execution && (await ports.table.get<ActionItem>(keys.action(tenant, execution.action_id)));
  if (!action || Date.parse(execution.created_at) < retainedSince(context)) throw notFound(`Execution ${id}`);
  return { execution, action };
}

/** Returns a reader of the executions of an action, newest first. */
export function executionList(context: Context, action: ActionItem): Reader<ExecutionRecord> {
  const { ports, keys, tenant } = context;
  return async (after, limit) => {
    const { items, next } = await ports.table.query<RunPointer>({
      partition: keys.runs(tenant, action.id),
      from: stamp(retainedSince(context)),
      descending: true,
      limit,
      after,
    });
    const executions = await ports.table.getMany<ExecutionItem>(
      items.map(({ execution_id }) => keys.execution(tenant, execution_id)),
    );
    const found = executions.flatMap((item, i) =>
      item ? [{ at: items[i]!.sk, value: executionRecord(context, item) }] : [],
    );
    return { found, next };
  };
}

const retainedSince = ({ ports, caller }: Context): number => historyStart(ports.clock.now(), caller.retention_days);

export const LogLine = z
  .object({
    seq: z.int().describe('Line number, from 1.'),
    line: z.string().describe('Text of the line, without secrets of the action.'),
    reported_at: z.iso.datetime().describe('Time of the report.'),
  })
  .meta({ id: 'LogLine' });
export type LogLine = z.infer<typeof LogLine>;

/** Line number in a query; default 0, before the first. */
export const LineNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
  .default(0)
  .meta({ type: 'integer', minimum: 0 });

/** Maximum number of lines per item. An item's key has the number of its first line: for line n, in (n - 100, n]. */
const LINES_PER_ITEM = 100;

/** Returns a reader of the log lines of an execution after line `from`. Without write access, URLs are redacted. */
export function logLines(
  { ports, keys, tenant, caller }: Context,
  execution: ExecutionItem,
  from: number,
): Reader<LogLine> {
  return async (after, limit) => {
    const seen = Number(after ?? from);
    const { items, next } = await ports.table.query<LogItem>({
      partition: keys.ofExecution(tenant, execution.id),
      from: `${LOG_LINES}${stamp(seen + 2 - LINES_PER_ITEM)}`,
      to: above(LOG_LINES),
      // Items with lines up to `seen` are read and dropped; each line can be in an item of its own.
      limit: limit + LINES_PER_ITEM,
    });
    const lines = items
      .flatMap(({ seq, lines, reported_at }) => lines.map((line, i) => ({ seq: seq + i, line, reported_at })))
      .filter(({ seq }) => seq > seen);
    const visible = (value: LogLine) => (seesSecrets(caller) ? value : { ...value, line: redactUrls(value.line) });
    const found = lines.slice(0, limit).map((value) => ({ at: String(value.seq), value: visible(value) }));
    const more = next !== undefined || lines.length > found.length;
    return { found, next: more ? found.at(-1)?.at : undefined };
  };
}
