import { beforeEach, describe, expect, it } from 'vitest';
import { create as createRunner } from '#functions/action-runner.ts';
import type { AccountItem } from '#lib/access/account.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import { report } from '#lib/actions/run/report.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Write } from '#lib/platform/ports.ts';
import { queueEvent, TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, AGAIN, actionWorld, DONE, dead, INTERRUPTED } from '#test/unit/actions/action-world.ts';

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

const run = (budget?: RetryBudget) => runner(queueEvent([message], budget));
const onlyRun = (of = action) => world.onlyRun(of);

describe('an execution triggered by a transition', () => {
  it('is stored as pending before it is sent, and with its outcome afterwards', async () => {
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

  it('is sent once, however often the message arrives', async () => {
    await Promise.all([run(), run(), run()]);
    await run();
    expect(world.requests).toHaveLength(1);
    expect((await onlyRun()).dispatch_status).toBe('success');
  });

  it('ends as interrupted at its give-up time when its runner died, and is never sent again', async () => {
    world.answer(dead);
    void run();
    await expect.poll(() => world.requests.length).toBe(1);

    // The message is repeated while the first runner may still be running.
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

  it('stays interrupted when a response arrives later', async () => {
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

  it('keeps a report of the pipeline that arrives before the response', async () => {
    world.answer(async () => {
      await report(world.context, { id: (await onlyRun()).id, action }, { status: 'running', logs: ['a', 'b'] });
      return { status: 200, headers: {}, body: '', latency_ms: 1 };
    });
    await run();
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'success', pipeline_status: 'running', log_count: 2 });
  });

  it('fails without a retry after an internal error', async () => {
    world.answer(() => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' })));
    expect(await run()).toEqual(DONE);
    expect((await onlyRun()).error_message).toContain('may have been sent');
    expect(world.log.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  it.each<[what: string, change: () => Promise<unknown>]>([
    ['was deleted', () => deleteAction(world.context, action.id)],
    ['is manual now', () => updateAction(world.context, action.id, { trigger_type: 'manual' })],
    ['waits for another state now', () => updateAction(world.context, action.id, { trigger_to_state: 'up' })],
    ['belongs to a disabled account', () => world.put<AccountItem>({ ...world.account, disabled: true })],
  ])('is dropped when its action %s', async (_what, change) => {
    await change();
    expect(await run()).toEqual(DONE);
    expect(world.requests).toEqual([]);
    expect(await world.runs(action)).toEqual([]);
  });

  it('uses the action as it is at the claim', async () => {
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

  it('runs at its last attempt when no runner was available before', async () => {
    expect(await run('last')).toEqual({ batchItemFailures: [] });
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'success' });
  });

  it('ends as failed after an internal error at its last attempt', async () => {
    const { transact } = world.ports.table;
    let refused = 0;
    const failOnce: typeof transact = (writes) =>
      refused++ === 0 ? Promise.reject(new AppError('UNAVAILABLE', 'The disk is full.')) : transact(writes);
    const full = createRunner({ ...world.ports, table: { ...world.table, transact: failOnce } });
    expect(await full(queueEvent([message], 'last'))).toEqual(AGAIN);
    expect(await onlyRun()).toMatchObject({ dispatch_status: 'failed' });
    expect(world.requests).toEqual([]);
  });

  it('is retried when it cannot be claimed, then ends as failed, and its message as a dead letter', async () => {
    const { transact } = world.table;
    const refuse = () => Promise.reject(new AppError('UNAVAILABLE', 'The disk is full.'));
    const full = createRunner({ ...world.ports, table: { ...world.table, transact: refuse } });
    expect(await full(queueEvent([message]))).toEqual(AGAIN);
    expect(transact).toBe(world.table.transact);
    expect(await run('over')).toEqual(AGAIN);
    expect(await onlyRun()).toMatchObject({
      dispatch_status: 'failed',
      error_message: 'not sent: internal error on each attempt',
    });
    expect(world.requests).toEqual([]);
  });

  it('expires with the history of its account, after at least 90 days', async () => {
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
