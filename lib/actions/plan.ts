import type { TransitionItem } from '#lib/health/transition-item.ts';
import { BOUND_ACTIONS, under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import type { Chance } from '#lib/platform/batch.ts';
import { allOf } from '#lib/platform/pages.ts';
import type { BoundActionItem } from './action-item.ts';
import type { World } from './claim.ts';
import { fires } from './fires.ts';
import { giveUp } from './run-message.ts';

/** A transition whose actions could not be found is tried again after this time, on its own. */
const PARKED_MS = 5_000;

/** Plans; on failure parks the transition on its own queue, so that no other one waits. Throws when that fails too. */
export async function planOrPark(world: World, transition: TransitionItem): Promise<void> {
  const { tenant_id, check_id, transition_id, sk } = transition;
  try {
    await plan(world, transition);
  } catch (error) {
    world.ports.log.warn('a transition was parked', { tenant_id, check_id, transition_id, error });
    const body: MessageOf<'plan'> = { tenant_id, check_id, sk };
    await world.ports.queues.send('plan', [
      { body, not_before: world.ports.clock.now() + PARKED_MS, group: tenant_id },
    ]);
  }
}

/** A parked transition again; what cannot be sent off ends as failed when its last chance is gone. */
export async function planParked(world: World, parked: MessageOf<'plan'>, chance: Chance): Promise<void> {
  const key = { pk: world.keys.ofCheck(parked.tenant_id, parked.check_id), sk: parked.sk };
  const transition = await world.ports.table.get<TransitionItem>(key);
  if (!transition) return world.ports.log.warn('a parked transition is gone', parked);
  try {
    await plan(world, transition);
  } catch (error) {
    if (chance !== 'more') for (const run of await runsOf(world, transition)) await giveUp(world, run);
    throw error;
  }
}

/** A message for each action that a transition fires. Twice is harmless: the run's id follows from both. */
async function plan(world: World, transition: TransitionItem): Promise<void> {
  const runs = await runsOf(world, transition);
  if (runs.length === 0) return;
  await world.ports.queues.send(
    'action',
    runs.map((body) => ({ body, group: body.tenant_id })),
  );
}

type Fired = MessageOf<'action'> & { kind: 'state_change' };

async function runsOf({ ports, keys }: World, transition: TransitionItem): Promise<Fired[]> {
  const { tenant_id, check_id, sk: transition_sk } = transition;
  const query = { partition: keys.ofCheck(tenant_id, check_id), ...under(BOUND_ACTIONS) };
  const bound = await allOf<BoundActionItem>(ports.table, query);
  return bound
    .filter((one) => fires(one, transition))
    .map(({ action_id }) => ({ kind: 'state_change', tenant_id, action_id, check_id, transition_sk }));
}
