import { beforeEach, describe, expect, it } from 'vitest';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import { emitShards } from '#lib/schedule/emit.ts';
import type { EntryItem } from '#lib/schedule/entries.ts';
import { intervalScheduleOf, slotsBetween } from '#lib/schedule/slots.ts';
import { TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld } from './action-world.ts';

const MINUTE = 60_000;

type ActionEntry = Extract<EntryItem, { kind: 'action' }>;

let world: ActionWorld;
beforeEach(async () => {
  world = await actionWorld();
});

const everyMinute = () => world.make({ trigger_type: 'schedule', interval_seconds: 60 });
const entryOf = ({ id }: ActionItem) => world.table.get<ActionEntry>(world.keys.entry('action', TENANT, id));
const sentSlots = ({ id }: ActionItem): number[] =>
  (world.take('action') as { kind: string; action_id: string; slot: number }[])
    .filter((run) => run.kind === 'schedule' && run.action_id === id)
    .map(({ slot }) => slot);

describe('the schedule of an action', () => {
  it('starts with messages for its first slots, and the generator sends each later slot once', async () => {
    const created = world.now();
    const action = await everyMinute();
    const schedule = intervalScheduleOf(action.id, 60);
    const entry = (await entryOf(action))!;
    const first = sentSlots(action);
    expect(first).toEqual(slotsBetween(schedule, created, entry.from));
    expect(first.length).toBeGreaterThanOrEqual(2);

    const shard = world.keys.shardOf(action.id);
    const all = [...first];
    for (let minute = 0; minute < 12; minute++) {
      await emitShards(world, [shard], world.now());
      all.push(...sentSlots(action));
      world.pass(MINUTE);
    }
    expect(all).toEqual(slotsBetween(schedule, created, all.at(-1)!));
    expect(all.length).toBeGreaterThanOrEqual(12);
  });

  it('delivers no message before its slot', async () => {
    await everyMinute();
    const runs = world.sent.filter((one) => one.queue === 'action');
    for (const { body, not_before } of runs) expect(not_before).toBe((body as { slot: number }).slot);
    expect(runs.length).toBeGreaterThan(0);
  });

  it('changes with the interval, and only with it', async () => {
    const action = await everyMinute();
    const before = await entryOf(action);
    world.take('action');
    await updateAction(world.context, action.id, { name: 'Renamed', interval_seconds: 60 });
    expect(await entryOf(action)).toEqual(before);
    expect(world.take('action')).toEqual([]);

    const changed = await updateAction(world.context, action.id, { interval_seconds: 90 });
    expect(await entryOf(action)).toMatchObject({ rhythm: intervalScheduleOf(action.id, 90) });
    expect(sentSlots(changed).length).toBeGreaterThan(0);
  });

  it('ends when the action is deleted or gets another trigger', async () => {
    const [gone, manual] = [await everyMinute(), await everyMinute()];
    await deleteAction(world.context, gone.id);
    await updateAction(world.context, manual.id, { trigger_type: 'manual' });
    expect(await entryOf(gone)).toBeUndefined();
    expect(await entryOf(manual)).toBeUndefined();
    await updateAction(world.context, manual.id, { trigger_type: 'schedule' });
    expect(await entryOf(manual)).toMatchObject({ kind: 'action', id: manual.id });
  });
});
