import type { BoundActionItem } from '#lib/actions/action-item.ts';
import { giveUp } from '#lib/actions/run-message.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { BOUND_ACTIONS } from '#lib/keys/prefixes.ts';
import { under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { RunEnv } from './claim.ts';
import { fires } from './fires.ts';

/**
 * A message for each action that a transition fires. Twice is harmless: the run's id follows from both.
 * @param isLast what cannot be sent off ends as failed; throws all the same
 */
export async function plan(env: RunEnv, transition: TransitionItem, isLast: boolean): Promise<void> {
  try {
    const runs = await runsOf(env, transition);
    if (runs.length === 0) return;
    await env.ports.queues.send(
      'action',
      runs.map((body) => ({ body, group: body.tenant_id })),
    );
  } catch (error) {
    if (isLast) for (const run of await runsOf(env, transition)) await giveUp(env, run);
    throw error;
  }
}

type Fired = MessageOf<'action'> & { kind: 'state_change' };

async function runsOf({ ports, keys }: RunEnv, transition: TransitionItem): Promise<Fired[]> {
  const { tenant_id, check_id, sk: transition_sk } = transition;
  const query = { partition: keys.ofCheck(tenant_id, check_id), ...under(BOUND_ACTIONS) };
  const bound = await allOf<BoundActionItem>(ports.table, query);
  return bound
    .filter((one) => fires(one, transition))
    .map(({ action_id }) => ({ kind: 'state_change', tenant_id, action_id, check_id, transition_sk }));
}
