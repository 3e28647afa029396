import { beforeEach, describe, expect, it } from 'vitest';
import { create as createRunner } from '#functions/action-runner.ts';
import type { AccountItem } from '#lib/access/account.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import { report } from '#lib/actions/run/report.ts';
import { runByHand } from '#lib/actions/run/run.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Chance } from '#lib/platform/batch.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { rhythmOf, slotsBetween } from '#lib/schedule/slots.ts';
import { queueEvent, TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld } from '#test/unit/actions/action-world.ts';

const DONE = { batchItemFailures: [] };
const AGAIN = { batchItemFailures: [{ itemIdentifier: 'm1' }] };
const INTERRUPTED = { dispatch_status: 'failed', error_message: 'interrupted: may have been sent', status_code: 0 };
const dead = () => new Promise<never>(() => {});

let world: ActionWorld;
let runner: ReturnType<typeof createRunner>;
let transition: TransitionItem;
let action: ActionItem;
let message: object;
beforeEach(async () => {
  world = await actionWorld();
  runner = createRunner(world.ports);
  transition = await world.put(world.transition([]));
  action = await world.make({ trigger_type: 'state_change', check_id: 'chk_pay', timeout_ms: 1000 });
  message = {
    kind: 'state_change',
    tenant_id: TENANT,
    action_id: action.id,
    check_id: 'chk_pay',
    transition_sk: transition.sk,
  };
});

const run = (chance?: Chance) => runner(queueEvent([message], chance));
const onlyRun = async (of = action) => {
  const runs = await world.runs(of);
  expect(runs).toHaveLength(1);
  return runs[0]!;
};

describe('a run that a transition wants', () => {
  it('is written down as pending before it is sent, and with the answer after that', async () => {
    world.answer(async () => {
      expect(await onlyRun()).toMatchObject({ dispatch_status: 'pending', finished_at: null });
      return { status: 201, headers: {}, body: '{"id": 7}', latency_ms: 31 };
    });
    expect(await run()).toEqual(DONE);
    expect(await onlyRun()).toMatchObject({
      trigger: 'state_change',
      transition_id: transition.transition_id,
      dispatch_status: 'success',
      status_code: 201,
      latency_ms: 31,
      response_snippet: '{"id": 7}',
      finished_at: expect.any(String),
    });
    expect(world.requests).toMatchObject([{ egress: 'public', max_redirects: 0, timeout_ms: 1000 }]);
  });

  it('is sent once, however often the message comes', async () => {
    await Promise.all([run(), run(), run()]);
    await run();
    expect(world.requests).toHaveLength(1);
    expect((await onlyRun()).dispatch_status).toBe('success');
  });

  it('whose runner died ends as interrupted once it must be over, and is never sent again', async () => {
    world.answer(dead);
    void run();
    await expect.poll(() => world.requests.length).toBe(1);

    // The message comes again while the first runner may still be at work.
    expect(await run()).toEqual(DONE);
    expect((await onlyRun()).dispatch_status).toBe('pending');
    const [settle] = world.sent.filter((one) => one.queue === 'action');
    expect(settle!.not_before).toBeGreaterThan(world.now() + 1000);

    world.pass(settle!.not_before! - world.now());
    expect(await runner(queueEvent(world.take('action')))).toEqual(DONE);
    expect(await onlyRun()).toMatchObject({ ...INTERRUPTED, finished_at: expect.any(String) });
    expect(await run()).toEqual(DONE);
    expect(world.requests).toHaveLength(1);
  });

  it('stays as it ended when an answer comes after all', async () => {
    let answer: (() => void) | undefined;
    world.answer(async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { status: 200, headers: {}, body: '', latency_ms: 1 };
    });
    const late = run();
    await expect.poll(() => answer).toBeDefined();
    world.pass(60_000);
    await run();
    answer!();
    await late;
    expect(await onlyRun()).toMatchObject(INTERRUPTED);
  });

  it('keeps what the pipeline reports before it has answered', async () => {
    world.answer(async () => {
      await report(world.context, { id: (await onlyRun()).id, action }, { status: 'running', logs: ['a', 'b'] });
      return { status: 200, headers: {}, body: '', latency_ms: 1 };
    });
    await run();
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'success', pipeline_status: 'running', log_count: 2 });
  });

  it('has failed, not been tried again, when a fault of ours cuts it off', async () => {
    world.answer(() => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' })));
    expect(await run()).toEqual(DONE);
    expect((await onlyRun()).error_message).toContain('may have been sent');
    expect(world.log.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  it.each<[what: string, change: () => Promise<unknown>]>([
    ['was deleted', () => deleteAction(world.context, action.id)],
    ['is run by hand now', () => updateAction(world.context, action.id, { trigger_type: 'manual' })],
    ['waits for another state now', () => updateAction(world.context, action.id, { trigger_to_state: 'up' })],
    ['belongs to a disabled account', () => world.put<AccountItem>({ ...world.account, disabled: true })],
  ])('is dropped when its action %s', async (_what, change) => {
    await change();
    expect(await run()).toEqual(DONE);
    expect(world.requests).toEqual([]);
    expect(await world.runs(action)).toEqual([]);
  });

  it('is that of the action as it is when it is claimed', async () => {
    const { transact } = world.table;
    let changed = false;
    world.ports.table = {
      ...world.table,
      transact: async (writes: Write[]) => {
        if (!changed && writes.length === 3) {
          changed = true;
          await updateAction({ ...world.context, ports: { ...world.ports, table: world.table } }, action.id, {
            url: 'https://new.example.com/',
          });
        }
        return transact(writes);
      },
    };
    await createRunner(world.ports)(queueEvent([message]));
    expect(changed).toBe(true);
    expect(world.requests).toMatchObject([{ url: 'https://new.example.com/' }]);
  });

  it('that nobody ran for an hour is run then', async () => {
    expect(await run('last')).toEqual({ batchItemFailures: [] });
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'success' });
  });

  it('that still fails by a fault of ours after that time ends as failed', async () => {
    const { transact } = world.ports.table;
    let refused = 0;
    const once: typeof transact = (writes) =>
      refused++ === 0 ? Promise.reject(new AppError('UNAVAILABLE', 'The disk is full.')) : transact(writes);
    const full = createRunner({ ...world.ports, table: { ...world.table, transact: once } });
    expect(await full(queueEvent([message], 'last'))).toEqual(AGAIN);
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'failed' });
    expect(world.requests).toEqual([]);
  });

  it('that cannot be claimed is tried again, and at last ends as failed, and as a dead letter', async () => {
    const { transact } = world.table;
    const refuse = () => Promise.reject(new AppError('UNAVAILABLE', 'The disk is full.'));
    const full = createRunner({ ...world.ports, table: { ...world.table, transact: refuse } });
    expect(await full(queueEvent([message]))).toEqual(AGAIN);
    expect(transact).toBe(world.table.transact);
    expect(await run('over')).toEqual(AGAIN);
    expect(await onlyRun()).toMatchObject({
      dispatch_status: 'failed',
      error_message: 'not sent: the service failed each time that it tried',
    });
    expect(world.requests).toEqual([]);
  });

  it('lives as long as its account keeps history, and at least 90 days', async () => {
    await run();
    const days = ((await onlyRun()).expires_at! * 1000 - world.now()) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(90);
    expect(days).toBeLessThan(90.1);
    await world.put<AccountItem>({ ...world.account, retention_days: 400 });
    const second = await world.make({ trigger_type: 'state_change', check_id: 'chk_pay' });
    await runner(queueEvent([{ ...message, action_id: second.id }]));
    expect(((await onlyRun(second)).expires_at! * 1000 - world.now()) / 86_400_000).toBeGreaterThanOrEqual(400);
  });
});

describe('a run that the schedule wants', () => {
  let scheduled: ActionItem;
  let slot: number;
  const due = () => ({ kind: 'schedule', tenant_id: TENANT, action_id: scheduled.id, slot });
  beforeEach(async () => {
    scheduled = await world.make({ trigger_type: 'schedule', interval_seconds: 60 });
    slot = slotsBetween(rhythmOf(scheduled.id, 60), world.now(), world.now() + 60_000)[0]!;
    world.pass(slot - world.now());
    world.take('action');
  });

  it('happens once a slot', async () => {
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

  it('is dropped when the next one is due', async () => {
    world.pass(59_999);
    const before = { ...due() };
    world.pass(1);
    await runner(queueEvent([before]));
    expect(world.requests).toEqual([]);
  });

  it('still happens late in its slot', async () => {
    world.pass(59_999);
    await runner(queueEvent([due()]));
    expect(world.requests).toHaveLength(1);
  });

  it('is dropped when its instant is no slot of the rhythm that the action has now', async () => {
    await updateAction(world.context, scheduled.id, { interval_seconds: 61 });
    await runner(queueEvent([due()]));
    await updateAction(world.context, scheduled.id, { trigger_type: 'manual' });
    await runner(queueEvent([due()]));
    expect(world.requests).toEqual([]);
  });
});

describe('a run by hand', () => {
  it('that was cut off is ended by a message that was sent before it', async () => {
    const manual = await world.make({ timeout_ms: 1000 });
    world.answer(dead);
    void runByHand(world.context, manual.id, {});
    await expect.poll(() => world.requests.length).toBe(1);
    const [settle] = world.sent.filter((one) => one.queue === 'action');
    world.pass(settle!.not_before! - world.now());
    expect(await runner(queueEvent(world.take('action')))).toEqual(DONE);
    expect(await onlyRun(manual)).toMatchObject(INTERRUPTED);
    expect(world.requests).toHaveLength(1);
  });

  it('that ended, or was never begun, needs no ending', async () => {
    const manual = await world.make();
    const before = await runByHand(world.context, manual.id, {});
    world.pass(60_000);
    const settles = [...world.take('action'), { kind: 'settle', tenant_id: TENANT, execution_id: 'exe_none' }];
    expect(await runner(queueEvent(settles))).toEqual(DONE);
    expect(await onlyRun(manual)).toEqual(before);
  });

  it('remembers who asked for it, and tells nobody', async () => {
    const manual = await world.make();
    await runByHand(world.context, manual.id, {});
    expect(await onlyRun(manual)).toMatchObject({ called_by: { user_id: 'usr_a', key_id: 'key_a' } });
  });

  it('of an action that is deleted meanwhile is answered, and leaves nothing behind', async () => {
    const manual = await world.make();
    world.answer(async () => {
      const pending = await onlyRun(manual);
      await world.table.transact([{ delete: { pk: pending.pk, sk: pending.sk } }]);
      return { status: 200, headers: {}, body: 'late', latency_ms: 1 };
    });
    expect(await runByHand(world.context, manual.id, {})).toMatchObject({ dispatch_status: 'success' });
    expect(await world.runs(manual)).toEqual([]);
  });
});
