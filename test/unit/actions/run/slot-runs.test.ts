import { beforeEach, describe, expect, it } from 'vitest';
import { create as createRunner } from '#functions/action-runner.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { updateAction } from '#lib/actions/change-action.ts';
import { runActionManually } from '#lib/actions/run/run.ts';
import { intervalScheduleOf, slotsBetween } from '#lib/schedule/slots.ts';
import { queueEvent, TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld, DONE, dead, INTERRUPTED } from '#test/unit/actions/action-world.ts';

let world: ActionWorld;
let runner: ReturnType<typeof createRunner>;
beforeEach(async () => {
  world = await actionWorld();
  runner = createRunner(world.ports);
});

describe('a scheduled execution', () => {
  let scheduled: ActionItem;
  let slot: number;
  const due = () => ({ kind: 'schedule', tenant_id: TENANT, action_id: scheduled.id, slot });
  beforeEach(async () => {
    scheduled = await world.make({ trigger_type: 'schedule', interval_seconds: 60 });
    slot = slotsBetween(intervalScheduleOf(scheduled.id, 60), world.now(), world.now() + 60_000)[0]!;
    world.pass(slot - world.now());
    world.take('action');
  });

  it('happens once per slot', async () => {
    await runner(queueEvent([due(), due()]));
    await runner(queueEvent([due()]));
    expect(await world.runs(scheduled)).toMatchObject([
      { trigger: 'schedule', transition_id: null, dispatch_status: 'success' },
    ]);
    slot += 60_000;
    world.pass(60_000);
    await runner(queueEvent([due()]));
    expect(await world.runs(scheduled)).toHaveLength(2);
    expect(world.requests).toHaveLength(2);
  });

  it('is dropped when the next slot is due', async () => {
    world.pass(59_999);
    const expired = due();
    world.pass(1);
    await runner(queueEvent([expired]));
    expect(world.requests).toEqual([]);
  });

  it('happens until the next slot is due', async () => {
    world.pass(59_999);
    await runner(queueEvent([due()]));
    expect(world.requests).toHaveLength(1);
  });

  it('is dropped when its time is not a slot of the current interval', async () => {
    await updateAction(world.context, scheduled.id, { interval_seconds: 61 });
    await runner(queueEvent([due()]));
    await updateAction(world.context, scheduled.id, { trigger_type: 'manual' });
    await runner(queueEvent([due()]));
    expect(world.requests).toEqual([]);
  });
});

describe('a manual execution', () => {
  it('is ended by its settle message, sent before the request, when it was interrupted', async () => {
    const manual = await world.make({ timeout_ms: 1000 });
    world.answer(dead);
    void runActionManually(world.context, manual.id, {});
    await expect.poll(() => world.requests.length).toBe(1);
    const [settle] = world.sent.filter((one) => one.queue === 'action');
    world.pass(settle!.not_before! - world.now());
    expect(await runner(queueEvent(world.take('action')))).toEqual(DONE);
    expect(await world.onlyRun(manual)).toMatchObject(INTERRUPTED);
    expect(world.requests).toHaveLength(1);
  });

  it('is not changed by its settle message when it has ended or never started', async () => {
    const manual = await world.make();
    const before = await runActionManually(world.context, manual.id, {});
    world.pass(60_000);
    const settles = [...world.take('action'), { kind: 'settle', tenant_id: TENANT, execution_id: 'exe_none' }];
    expect(await runner(queueEvent(settles))).toEqual(DONE);
    expect(await world.onlyRun(manual)).toEqual(before);
  });

  it('stores its caller', async () => {
    const manual = await world.make();
    await runActionManually(world.context, manual.id, {});
    expect(await world.onlyRun(manual)).toMatchObject({ called_by: { user_id: 'usr_a', key_id: 'key_a' } });
  });

  it('returns a result when its record was deleted meanwhile, and stores nothing', async () => {
    const manual = await world.make();
    world.answer(async () => {
      const pending = await world.onlyRun(manual);
      await world.table.transact([{ delete: { pk: pending.pk, sk: pending.sk } }]);
      return { status: 200, headers: {}, body: 'late', latency_ms: 1 };
    });
    expect(await runActionManually(world.context, manual.id, {})).toMatchObject({ dispatch_status: 'success' });
    expect(await world.runs(manual)).toEqual([]);
  });
});
