import { beforeEach, describe, expect, it } from 'vitest';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import { claim, type Wanted } from '#lib/actions/run/claim.ts';
import { TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld } from '#test/unit/actions/action-world.ts';

let world: ActionWorld;
let action: ActionItem;
let wanted: Wanted;
beforeEach(async () => {
  world = await actionWorld();
  action = await world.make({ timeout_ms: 5000 });
  wanted = { tenant_id: TENANT, action_id: action.id, execution_id: 'exe_1', trigger: 'manual', transition_id: null };
});

describe('claim', () => {
  it('stores the execution as pending, and in the history of its action, before anything is sent', async () => {
    expect(await claim(world, wanted)).toMatchObject({ is: 'claimed', action: { id: action.id } });
    expect(await world.runs(action)).toMatchObject([{ id: 'exe_1', dispatch_status: 'pending', trigger: 'manual' }]);
    expect(world.requests).toEqual([]);
  });

  it('succeeds once per id, for any number of callers', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(world, wanted)));
    expect(claims.map(({ is }) => is).toSorted()).toEqual(['claimed', ...Array(19).fill('taken')]);
    expect(await claim(world, wanted)).toMatchObject({ is: 'taken', execution: { id: 'exe_1' } });
    expect(await world.runs(action)).toHaveLength(1);
  });

  it('is void if the action was deleted or its trigger no longer matches', async () => {
    expect(await claim(world, wanted, () => false)).toEqual({ is: 'void' });
    await deleteAction(world.context, action.id);
    expect(await claim(world, wanted)).toEqual({ is: 'void' });
    expect(await world.runs(action)).toEqual([]);
  });

  it('is void for a disabled account', async () => {
    await world.put({ ...world.account, disabled: true });
    expect(await claim(world, wanted)).toEqual({ is: 'void' });
  });

  it('uses the current action, even if it changes at the same time', async () => {
    const { transact } = world.table;
    let change = async (): Promise<unknown> => updateAction(world.context, action.id, { name: 'Changed' });
    world.ports.table = {
      ...world.table,
      transact: async (writes) => {
        const once = change;
        change = async () => {};
        world.ports.table = world.table;
        await once();
        return transact(writes);
      },
    };
    expect(await claim(world, wanted)).toMatchObject({ is: 'claimed', action: { name: 'Changed' } });
    expect(await world.runs(action)).toHaveLength(1);
  });

  it('sets the give-up time to 20 seconds after the timeout', async () => {
    const claimed = await claim(world, wanted);
    expect(claimed).toMatchObject({ execution: { give_up_at: world.now() + 5000 + 20_000 } });
  });
});
