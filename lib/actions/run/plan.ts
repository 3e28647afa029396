import type { BoundActionItem } from '#lib/actions/action-item.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { BOUND_ACTIONS } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import type { Chance } from '#lib/platform/batch.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { RunEnv } from './claim.ts';
import { fires } from './fires.ts';
import { giveUp } from './run-message.ts';

/** A transition whose actions could not be found is tried again after this time, on its own. */
const PARKED_MS = 5_000;

/** Plans; on failure parks the transition on its own queue, so that no other one waits. Throws when that fails too. */
export async function planOrPark(env: RunEnv, transition: TransitionItem): Promise<void> {
  const { tenant_id, check_id, transition_id, sk } = transition;
  try {
    await plan(env, transition);
  } catch (error) {
    env.ports.log.warn('a transition was parked', { tenant_id, check_id, transition_id, error });
    const body = { tenant_id, check_id, sk };
    await env.ports.queues.send('plan', [{ body, not_before: env.ports.clock.now() + PARKED_MS, group: tenant_id }]);
  }
}

/** A parked transition again; what cannot be sent off ends as failed when its last chance is gone. */
export async function planParked(env: RunEnv, parked: MessageOf<'plan'>, chance: Chance): Promise<void> {
  const key = { pk: env.keys.ofCheck(parked.tenant_id, parked.check_id), sk: parked.sk };
  const transition = await env.ports.table.get<TransitionItem>(key);
  if (!transition) return env.ports.log.warn('a parked transition is gone', parked);
  try {
    await plan(env, transition);
  } catch (error) {
    if (chance !== 'more') for (const run of await runsOf(env, transition)) await giveUp(env, run);
    throw error;
  }
}

/** A message for each action that a transition fires. Twice is harmless: the run's id follows from both. */
async function plan(env: RunEnv, transition: TransitionItem): Promise<void> {
  const runs = await runsOf(env, transition);
  if (runs.length === 0) return;
  await env.ports.queues.send(
    'action',
    runs.map((body) => ({ body, group: body.tenant_id })),
  );
}

type Fired = MessageOf<'action'> & { kind: 'state_change' };

async function runsOf({ ports, keys }: RunEnv, transition: TransitionItem): Promise<Fired[]> {
  const { tenant_id, check_id, sk: transition_sk } = transition;
  const bound = await allOf<BoundActionItem>(ports.table, {
    partition: keys.ofCheck(tenant_id, check_id),
    prefix: BOUND_ACTIONS,
  });
  return bound
    .filter((action) => fires(action, transition))
    .map(({ action_id }) => ({ kind: 'state_change', tenant_id, action_id, check_id, transition_sk }));
}
