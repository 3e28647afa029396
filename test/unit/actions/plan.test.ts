import { beforeEach, describe, expect, it } from 'vitest';
import { create as createPlanner } from '#functions/action-planner.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { AppError } from '#lib/platform/errors.ts';
import { queueEvent, streamEvent, TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld } from '#test/unit/actions/action-world.ts';

let world: ActionWorld;
let planner: ReturnType<typeof createPlanner>;
let transition: TransitionItem;
beforeEach(async () => {
  world = await actionWorld();
  planner = createPlanner(world.ports);
  transition = await world.put(world.transition([]));
});

const triggered = (more: object = {}) => world.make({ trigger_type: 'state_change', check_id: 'chk_pay', ...more });
const messageFor = (action: ActionItem) => ({
  kind: 'state_change',
  tenant_id: TENANT,
  action_id: action.id,
  check_id: 'chk_pay',
  transition_sk: transition.sk,
});
const parkedItem = { tenant_id: TENANT, check_id: 'chk_pay', sk: '' };
const refuse = (queue: string) => {
  const send = world.ports.queues.send;
  world.ports.queues = {
    send: async (to, messages) => {
      if (to === queue) throw new AppError('UNAVAILABLE', 'The queue refuses.');
      return send(to, messages);
    },
  };
};

describe('a transition', () => {
  it('fires each matching action of its check', async () => {
    const any = await triggered();
    const down = await triggered({ trigger_to_state: 'down' });
    await triggered({ trigger_to_state: 'up' });
    await world.make({ check_id: 'chk_pay' });
    expect(await planner(streamEvent(transition))).toEqual({ batchItemFailures: [] });
    // Actions of the same millisecond have no order.
    const runs = world.take('action');
    expect(runs).toHaveLength(2);
    expect(runs).toEqual(expect.arrayContaining([any, down].map(messageFor)));
  });

  it('does not fire an action that was deleted or has another trigger now', async () => {
    await deleteAction(world.context, (await triggered()).id);
    await updateAction(world.context, (await triggered()).id, { trigger_type: 'manual' });
    const other = await triggered();
    await updateAction(world.context, other.id, { trigger_to_state: 'up' });
    await planner(streamEvent(transition));
    expect(world.take('action')).toEqual([]);
  });

  it('is parked without the other transitions when it cannot be planned', async () => {
    const action = await triggered();
    const second = await world.put({ ...transition, sk: `${transition.sk}1`, transition_id: 'trn_2' });
    const query = world.table.query;
    world.ports.table = {
      ...world.table,
      query: async (asked) => {
        world.ports.table = { ...world.table, query };
        return Promise.reject(new AppError('UNAVAILABLE', `No ${asked.partition}.`));
      },
    };
    expect(await planner(streamEvent(transition, second))).toEqual({ batchItemFailures: [] });
    expect(world.take('action')).toEqual([{ ...messageFor(action), transition_sk: second.sk }]);
    const waiting = world.take('plan');
    expect(waiting).toEqual([{ ...parkedItem, sk: transition.sk }]);

    expect(await planner(queueEvent(waiting))).toEqual({ batchItemFailures: [] });
    expect(world.take('action')).toEqual([messageFor(action)]);
  });

  it('is retried when it can be neither planned nor parked', async () => {
    await triggered();
    refuse('action');
    const refusing = world.ports.queues;
    world.ports.queues = { send: () => refusing.send('action', []) };
    expect(await planner(streamEvent(transition))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });

  it('leaves a failed execution and a dead letter when its message cannot be sent at the last attempt', async () => {
    const action = await triggered();
    refuse('action');
    const event = queueEvent([{ ...parkedItem, sk: transition.sk }], 'last');
    expect(await planner(event)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await world.runs(action)).toMatchObject([
      {
        trigger: 'state_change',
        transition_id: 'trn_1',
        dispatch_status: 'failed',
        error_message: expect.stringMatching(/^not sent/),
      },
    ]);
    expect(world.requests).toEqual([]);
  });

  it('is dropped when it was deleted before its turn', async () => {
    expect(await planner(queueEvent([{ ...parkedItem, sk: 'TR#none' }]))).toEqual({ batchItemFailures: [] });
    expect(world.log.lines).toMatchObject([{ level: 'warn' }]);
  });
});
