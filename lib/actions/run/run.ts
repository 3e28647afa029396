import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { auditedAction } from '#lib/actions/action.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import { requireAction } from '#lib/actions/store.ts';
import { type BuiltIn, variablesOf } from '#lib/actions/template/variables.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { notFound } from '#lib/platform/errors.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type Claim, claim, giveUpAt, type RunEnv, type Wanted } from './claim.ts';
import { type Dispatched, send, withoutResponse } from './send.ts';

/** Records the outcome of a pending execution and returns the execution. Stores nothing if it was deleted. */
export function finish({ ports, keys }: RunEnv, claimed: ExecutionItem, end: Dispatched): Promise<ExecutionItem> {
  return retryOnConflict(ports, async () => {
    const present = await ports.table.get<ExecutionItem>(keys.execution(claimed.tenant_id, claimed.id));
    if (!present) return { ...claimed, ...end, finished_at: iso(ports.clock.now()) };
    if (present.dispatch_status !== 'pending') return present;
    const next = { ...present, ...end, v: ports.ids.token(), finished_at: iso(ports.clock.now()) };
    const outcome = await commit(ports, [{ put: next, if: { version: present.v } }]);
    return outcome.ok ? next : RETRY;
  });
}

/** Ends an execution whose process died. It is not sent again, because it may have been sent. */
export const endInterrupted = (env: RunEnv, execution: ExecutionItem): Promise<ExecutionItem> =>
  finish(env, execution, withoutResponse('failed', 'interrupted: may have been sent'));

/** Returns the variables of a transition (docs/use/actions.md#placeholders). */
export const transitionVariables = (transition: TransitionItem): BuiltIn => ({
  entity_id: transition.entity_id,
  entity_name: transition.entity_name,
  check_id: transition.check_id,
  from_state: transition.from_state,
  to_state: transition.to_state,
  transition_id: transition.transition_id,
});

/** Sends a claimed execution and records its outcome. `cause`: variables of its trigger. `vars`: of the caller. */
export async function dispatch(
  env: RunEnv,
  { action, execution }: Pick<Claim & { is: 'claimed' }, 'action' | 'execution'>,
  cause: BuiltIn,
  vars: Record<string, string> = {},
): Promise<ExecutionItem> {
  const builtIn: BuiltIn = {
    execution_id: execution.id,
    action_id: action.id,
    action_name: action.name,
    timestamp: iso(env.ports.clock.now()),
    ...cause,
  };
  const ended = await finish(env, execution, await send(env, action, variablesOf(builtIn, vars)));
  env.ports.log.info('action executed', {
    tenant_id: ended.tenant_id,
    action_id: ended.action_id,
    execution_id: ended.id,
    trigger: ended.trigger,
    dispatch_status: ended.dispatch_status,
    status_code: ended.status_code,
  });
  return ended;
}

/**
 * Runs an action now and returns the ended execution, whatever the response. If this process dies, a delayed message,
 * sent first, ends it as interrupted. Throws NOT_FOUND.
 */
export async function runActionManually(
  context: Context,
  action_id: string,
  vars: Record<string, string>,
  tool?: string,
): Promise<ExecutionItem> {
  const { ports, tenant, caller } = context;
  const action = await requireAction(context, action_id);
  const execution_id = ports.ids.id('exe');
  await settleLater(context, tenant, execution_id, giveUpAt(action, ports.clock.now()));
  const auditWrites = auditWriter(context, 'run', auditedAction);
  const wanted: Wanted = {
    tenant_id: tenant,
    action_id,
    execution_id,
    trigger: 'manual',
    transition_id: null,
    called_by: { user_id: caller.user_id, key_id: caller.key_id, ...(tool !== undefined && { tool }) },
  };
  const claimed = await claim(context, wanted, undefined, (present) => auditWrites(present, present, { execution_id }));
  if (claimed.is === 'void' || claimed.is === 'remediation') throw notFound(`Action ${action_id}`);
  // If taken, the claim of this call was committed although it seemed to fail; nothing was sent yet.
  return claimed.is === 'taken'
    ? dispatch(context, { ...claimed, action }, {}, vars)
    : dispatch(context, claimed, {}, vars);
}

/** Schedules a recheck of an execution after the time (epoch ms) at which it counts as interrupted. */
export function settleLater({ ports }: RunEnv, tenant_id: string, execution_id: string, at: number): Promise<void> {
  const body = { kind: 'settle' as const, tenant_id, execution_id };
  return ports.queues.send('action', [{ body, not_before: at + 1000, group: tenant_id }]);
}
