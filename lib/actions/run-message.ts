import { attemptRemediation } from '#lib/actions/remediation/attempt.ts';
import { recheckRemediation } from '#lib/actions/remediation/recheck.ts';
import { claim, type RunEnv, type Wanted } from '#lib/actions/run/claim.ts';
import { firesOn } from '#lib/actions/run/fires-on.ts';
import { dispatch, endInterrupted, finish, settleLater, transitionVariables } from '#lib/actions/run/run.ts';
import { withoutResponse } from '#lib/actions/run/send.ts';
import type { BuiltIn } from '#lib/actions/template/variables.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { BOUND_ACTIONS, under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import { derivedId } from '#lib/platform/ids.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { isSlot } from '#lib/schedule/slots.ts';
import type { ActionItem, BoundActionItem } from './action-item.ts';
import { scheduleOfAction, triggerCheckId } from './bindings.ts';
import type { ExecutionItem } from './execution.ts';

type RunMessage = MessageOf<'action'>;

/**
 * Handles a message of the queue `action`. An execution triggered by a transition or the schedule is claimed before it
 * is sent, so it is sent at most once: a repeated message finds the claim. An execution that is still pending at its
 * `give_up_at` counts as interrupted. One that cannot be claimed within 20 minutes fails.
 */
export async function runMessage(env: RunEnv, message: RunMessage, retries: RetryBudget): Promise<void> {
  if (message.kind === 'settle') return settleById(env, message);
  if (message.kind === 'remediation') return recheckAndRun(env, message);
  if (retries === 'over') {
    await giveUp(env, message);
    throw new Error(`an execution of ${message.action_id} was given up; see the errors logged for it`);
  }
  try {
    await runOnce(env, message);
  } catch (error) {
    if (retries === 'last') await giveUp(env, message);
    throw error;
  }
}

type ExecutionRequest = Extract<RunMessage, { kind: 'state_change' | 'schedule' }>;

async function runOnce(env: RunEnv, message: ExecutionRequest): Promise<void> {
  const plan = await planOf(env, message);
  if (!plan) return;
  const claimed = await claim(env, plan.wanted, plan.stillFires);
  if (claimed.is === 'remediation') return remediate(env, plan);
  if (claimed.is === 'taken') return settle(env, claimed.execution);
  if (claimed.is === 'claimed') await dispatch(env, claimed, plan.variables);
  else env.ports.log.info('execution not needed any more', { ...message });
}

async function remediate(env: RunEnv, { wanted, transition, variables }: Plan): Promise<void> {
  if (!transition) return;
  const made = await attemptRemediation(env, wanted.action_id, transition, true);
  if (made.is === 'taken') return settle(env, made.execution);
  if (made.is === 'claimed') await dispatch(env, made, variables);
}

async function recheckAndRun(env: RunEnv, message: RunMessage & { kind: 'remediation' }): Promise<void> {
  const rechecked = await recheckRemediation(env, message);
  if (rechecked?.attempt.is === 'claimed')
    await dispatch(env, rechecked.attempt, transitionVariables(rechecked.transition));
}

async function giveUp(env: RunEnv, message: ExecutionRequest): Promise<void> {
  const plan = await planOf(env, message);
  const claimed = plan && (await claim(env, { ...plan.wanted, given_up: true }, plan.stillFires));
  if (claimed?.is === 'taken') await endInterrupted(env, claimed.execution);
  if (claimed?.is === 'claimed') {
    await finish(env, claimed.execution, withoutResponse('failed', 'not sent: internal error on each attempt'));
  }
}

type Plan = {
  wanted: Wanted;
  /** Whether the action still has this trigger, and the slot is not past. */
  stillFires: (action: ActionItem) => boolean;
  variables: BuiltIn;
  transition?: DecidedTransition;
};

async function planOf(env: RunEnv, message: ExecutionRequest): Promise<Plan | undefined> {
  return message.kind === 'schedule' ? ofSlot(env, message) : ofTransition(env, message);
}

function ofSlot({ ports }: RunEnv, { tenant_id, action_id, slot }: RunMessage & { kind: 'schedule' }): Plan {
  const execution_id = derivedId('exe', slot, action_id, 'slot', slot);
  return {
    wanted: { tenant_id, action_id, execution_id, trigger: 'schedule', transition_id: null },
    // A slot is past when the next one is due.
    stillFires: (action) => {
      const schedule = scheduleOfAction(action);
      return schedule !== undefined && isSlot(schedule, slot) && ports.clock.now() < slot + schedule.interval_ms;
    },
    variables: {},
  };
}

async function ofTransition(
  { ports, keys }: RunEnv,
  { tenant_id, action_id, check_id, transition_sk }: RunMessage & { kind: 'state_change' },
): Promise<Plan | undefined> {
  const key = { pk: keys.ofCheck(tenant_id, check_id), sk: transition_sk };
  const transition = await ports.table.get<DecidedTransition>(key);
  if (!transition) {
    ports.log.warn('transition of an execution not found', { tenant_id, action_id, check_id, transition_sk });
    return undefined;
  }
  const { transition_id, timestamp } = transition;
  const execution_id = derivedId('exe', Date.parse(timestamp), transition_id, action_id);
  return {
    wanted: { tenant_id, action_id, execution_id, trigger: 'state_change', transition_id },
    stillFires: (action) => triggerCheckId(action) === check_id && firesOn(action, transition),
    variables: transitionVariables(transition),
    transition,
  };
}

async function settleById(env: RunEnv, { tenant_id, execution_id }: RunMessage & { kind: 'settle' }): Promise<void> {
  const execution = await env.ports.table.get<ExecutionItem>(env.keys.execution(tenant_id, execution_id));
  if (execution) await settle(env, execution);
}

async function settle(env: RunEnv, execution: ExecutionItem): Promise<void> {
  if (execution.dispatch_status !== 'pending') return;
  const { tenant_id, id, give_up_at } = execution;
  if (env.ports.clock.now() < give_up_at) return settleLater(env, tenant_id, id, give_up_at);
  await endInterrupted(env, execution);
  env.ports.log.warn('execution interrupted', { tenant_id, execution_id: id, action_id: execution.action_id });
}

/** Sends a message per action that the transition fires. Idempotent. `isLast`: an error ends executions as failed. */
export async function planExecutions(env: RunEnv, transition: DecidedTransition, isLast: boolean): Promise<void> {
  try {
    const fired = await messagesFor(env, transition);
    if (fired.length === 0) return;
    await env.ports.queues.send(
      'action',
      fired.map((body) => ({ body, group: body.tenant_id })),
    );
  } catch (error) {
    if (isLast) for (const run of await messagesFor(env, transition)) await giveUp(env, run);
    throw error;
  }
}

type FiredMessage = MessageOf<'action'> & { kind: 'state_change' };

async function messagesFor({ ports, keys }: RunEnv, transition: DecidedTransition): Promise<FiredMessage[]> {
  const { tenant_id, check_id, sk: transition_sk } = transition;
  const query = { partition: keys.ofCheck(tenant_id, check_id), ...under(BOUND_ACTIONS) };
  const bound = await allOf<BoundActionItem>(ports.table, query);
  return bound
    .filter((one) => firesOn(one, transition))
    .map(({ action_id }) => ({ kind: 'state_change', tenant_id, action_id, check_id, transition_sk }));
}
