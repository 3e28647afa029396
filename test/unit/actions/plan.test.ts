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

const bound = (more: object = {}) => world.make({ trigger_type: 'state_change', check_id: 'chk_pay', ...more });
const runOf = (action: ActionItem) => ({
  kind: 'state_change',
  tenant_id: TENANT,
  action_id: action.id,
  check_id: 'chk_pay',
  transition_sk: transition.sk,
});
const parked = { tenant_id: TENANT, check_id: 'chk_pay', sk: '' };
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
    const any = await bound();
    const down = await bound({ trigger_to_state: 'down' });
    await bound({ trigger_to_state: 'up' });
    await world.make({ check_id: 'chk_pay' });
    expect(await planner(streamEvent(transition))).toEqual({ batchItemFailures: [] });
    // Items of the same millisecond have no order.
    const runs = world.take('action');
    expect(runs).toHaveLength(2);
    expect(runs).toEqual(expect.arrayContaining([any, down].map(runOf)));
  });

  it('fires no action that was deleted or unbound', async () => {
    await deleteAction(world.context, (await bound()).id);
    await updateAction(world.context, (await bound()).id, { trigger_type: 'manual' });
    const other = await bound();
    await updateAction(world.context, other.id, { trigger_to_state: 'up' });
    await planner(streamEvent(transition));
    expect(world.take('action')).toEqual([]);
  });

  it('is parked alone when it cannot be planned', async () => {
    const action = await bound();
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
    expect(world.take('action')).toEqual([{ ...runOf(action), transition_sk: second.sk }]);
    const waiting = world.take('plan');
    expect(waiting).toEqual([{ ...parked, sk: transition.sk }]);

    expect(await planner(queueEvent(waiting))).toEqual({ batchItemFailures: [] });
    expect(world.take('action')).toEqual([runOf(action)]);
  });

  it('is retried when it can be neither planned nor parked', async () => {
    await bound();
    refuse('action');
    const park = world.ports.queues;
    world.ports.queues = { send: () => park.send('action', []) };
    expect(await planner(streamEvent(transition))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });

  it('leaves a failed execution and a dead letter when it never gets a permit', async () => {
    const action = await bound();
    refuse('action');
    const event = queueEvent([{ ...parked, sk: transition.sk }], 'last');
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
    expect(await planner(queueEvent([{ ...parked, sk: 'TR#none' }]))).toEqual({ batchItemFailures: [] });
    expect(world.log.lines).toMatchObject([{ level: 'warn' }]);
  });
});
