import type { Context, Scope } from '#lib/access/context.ts';
import { historyStart } from '#lib/access/retention.ts';
import { ACTIONS } from '#lib/keys/prefixes.ts';
import { stamp, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId } from '#lib/platform/ids.ts';
import { type ActionRecord, actionRecord } from './action.ts';
import type { ActionItem } from './action-item.ts';
import { type ExecutionItem, type ExecutionRecord, executionRecord, type RunPointer } from './execution.ts';

/**
 * Items of actions and how they are read, all strongly:
 *
 * | pattern                         | request                                                          |
 * |---------------------------------|------------------------------------------------------------------|
 * | an action, all of a tenant      | get action(tenant, id), query actions(tenant)                    |
 * | actions that a check may fire   | query boundAction under the check                                |
 * | an execution by its id          | get execution(tenant, id), then its action: gone with it at once |
 * | executions of an action         | query runs(tenant, action), then get many execution(tenant, id)  |
 * | log lines of an execution       | query logLines under it                                          |
 */

/** The action that a path names. Throws NOT_FOUND. */
export async function requireAction({ ports, keys, tenant }: Scope, id: string): Promise<ActionItem> {
  const action = isId('act', id) ? await ports.table.get<ActionItem>(keys.action(tenant, id)) : undefined;
  if (!action) throw notFound(`Action ${id}`);
  return action;
}

/** All actions of a tenant, oldest first. */
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

/** The execution that a path names, and its action; it goes with that and its retention. Throws NOT_FOUND. */
export async function requireExecution(
  context: Context,
  id: string,
): Promise<{ execution: ExecutionItem; action: ActionItem }> {
  const { ports, keys, tenant } = context;
  const execution = isId('exe', id) ? await ports.table.get<ExecutionItem>(keys.execution(tenant, id)) : undefined;
  const action = execution && (await ports.table.get<ActionItem>(keys.action(tenant, execution.action_id)));
  if (!action || Date.parse(execution.created_at) < oldest(context)) throw notFound(`Execution ${id}`);
  return { execution, action };
}

/** Executions of an action, newest first. */
export function executionList(context: Context, action: ActionItem): Reader<ExecutionRecord> {
  const { ports, keys, tenant } = context;
  return async (after, limit) => {
    const { items, next } = await ports.table.query<RunPointer>({
      partition: keys.runs(tenant, action.id),
      from: stamp(oldest(context)),
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

/** Epoch ms: executions from before are no longer kept. */
const oldest = ({ ports, caller }: Context): number => historyStart(ports.clock.now(), caller.retention_days);
