import { beforeEach, describe, expect, it } from 'vitest';
import { deleteAction, updateAction } from '#lib/actions/change-action.ts';
import { report } from '#lib/actions/run/report.ts';
import { iso } from '#lib/platform/time.ts';
import { queueEvent, TENANT } from '#test/support/alert-world.ts';
import { dead } from '#test/unit/actions/action-world.ts';
import { CHANNEL, type RemediationWorld, remediationWorld } from './remediation/remediation-world.ts';

let world: RemediationWorld;
beforeEach(async () => {
  world = await remediationWorld();
});

describe('a guarded action', () => {
  it('runs for the failure of its check, and is verified by the first success after the settling time', async () => {
    const action = await world.guard({ settle_seconds: 10 });
    await world.fire(action, await world.fail());
    expect(world.requests).toHaveLength(1);
    expect(await world.onlyRun(action)).toMatchObject({ dispatch_status: 'success', attempt: 1, verdict: null });

    await world.elapse(5);
    await world.result(false);
    await world.elapse(15);
    expect(await world.onlyRun(action)).toMatchObject({ verdict: null });
    const success = await world.result(true);
    await world.elapse(20);
    expect(await world.onlyRun(action)).toMatchObject({
      verdict: 'recovered',
      verified_by: success,
      verified_at: expect.any(String),
    });
    expect(await world.entry(action)).toBeUndefined();
    expect(await world.table.get(world.keys.remediationLock(TENANT, 'ent_shop'))).toBeUndefined();
  });

  it('is not repeated once the failure is acknowledged', async () => {
    const action = await world.guard({ max_attempts: 3, cooldown_seconds: 60, settle_seconds: 5 });
    const failure = await world.fail();
    const episode = { transition_id: failure.transition_id };
    const acknowledgement = { by: 'ann@example.com', via: 'api' as const, at: world.now(), note: '' };
    await world.fire(action, failure);
    await world.setCheck({ alerts: { episode: { ...episode, acknowledgement } } });
    await world.elapse(6);
    await world.result(false);
    await world.elapse(600);
    expect(world.requests).toHaveLength(1);
    expect(await world.runs(action)).toMatchObject([
      { attempt: 1, verdict: 'not_recovered' },
      { dispatch_status: 'skipped', error_message: 'acknowledged: ann@example.com has acknowledged the failure' },
    ]);
  });

  it('is repeated after each cooldown up to the maximum, then one alert is sent', async () => {
    await world.putPolicy([CHANNEL]);
    const action = await world.guard({ max_attempts: 2, cooldown_seconds: 120, settle_seconds: 5 });
    await world.fire(action, await world.fail());
    await world.elapse(10);
    const first = await world.result(false);
    await world.elapse(60);
    expect(await world.alerts()).toEqual([]);
    await world.elapse(60);
    expect(world.requests).toHaveLength(2);
    const second = await world.result(false);
    await world.elapse(700);
    const runs = await world.runs(action);
    expect(runs).toMatchObject([
      { attempt: 1, verdict: 'not_recovered', verified_by: first },
      { attempt: 2, verdict: 'not_recovered', verified_by: second },
    ]);
    expect(world.requests).toHaveLength(2);
    expect(await world.alerts()).toMatchObject([
      {
        kind: 'remediation_failed',
        urgency: 'high',
        reports_state: 'down',
        to: [{ channel_id: 'chn_1' }],
        remediation: { action_id: action.id, action_name: 'Restart', attempts: 2, verdict: 'not_recovered' },
      },
    ]);
  });

  it.each([
    [true, [{ kind: 'remediation_failed', reports_state: 'degraded' }]],
    [false, []],
  ])('alerts for a degraded check only with notify_on_degraded: %s', async (notify_on_degraded, alerts) => {
    await world.putPolicy([CHANNEL], { notify_on_degraded });
    const settings = { max_attempts: 1, cooldown_seconds: 10, settle_seconds: 1 };
    const action = await world.guard(settings, { trigger_to_state: 'degraded' });
    const transition = await world.fail({ check_to_state: 'degraded' });
    await world.setCheck({ state: 'degraded' });
    await world.fire(action, transition);
    await world.elapse(3);
    await world.result(false);
    await world.elapse(60);
    expect(await world.onlyRun(action)).toMatchObject({ verdict: 'not_recovered' });
    expect(await world.alerts()).toMatchObject(alerts);
    expect(await world.series(action)).toMatchObject({ attempts: 1, notified: true });
  });

  it('continues its series when the check fails again within stable_seconds, and starts a new one after that', async () => {
    const action = await world.guard({ max_attempts: 1, cooldown_seconds: 10, settle_seconds: 1, stable_seconds: 300 });
    const heal = async () => {
      await world.elapse(3);
      await world.result(true);
      await world.elapse(30);
    };
    await world.fire(action, await world.fail());
    await heal();
    await world.fire(action, await world.fail());
    expect((await world.runs(action)).at(-1)).toMatchObject({
      dispatch_status: 'skipped',
      error_message: 'attempts: all 1 attempts of this series have been made',
      attempt: null,
    });
    await world.result(true);
    await world.elapse(301);
    await world.fire(action, await world.fail());
    expect((await world.runs(action)).map(({ attempt }) => attempt)).toEqual([1, null, 1]);
  });

  it('has the verdict not_recovered when its pipeline reports a failure', async () => {
    const action = await world.guard({ settle_seconds: 600 });
    await world.fire(action, await world.fail());
    const { id } = await world.onlyRun(action);
    await report(world.context, { id, action }, { status: 'failed' });
    await world.elapse(2);
    expect(await world.onlyRun(action)).toMatchObject({ verdict: 'not_recovered', verified_by: null });
  });

  it('has the verdict unverified when the check was not monitored, and counts as an attempt', async () => {
    const action = await world.guard({ max_attempts: 1, settle_seconds: 5 });
    await world.fire(action, await world.fail());
    await world.elapse(200);
    expect(await world.onlyRun(action)).toMatchObject({ verdict: 'unverified' });
    expect(await world.series(action)).toMatchObject({ attempts: 1, notified: true });
  });

  it('has the verdict not_recovered when the target answers with an error', async () => {
    world.answer(async () => ({ status: 500, headers: {}, body: '', latency_ms: 3 }));
    const action = await world.guard({ settle_seconds: 1 });
    await world.fire(action, await world.fail());
    await world.elapse(6);
    expect(await world.onlyRun(action)).toMatchObject({ dispatch_status: 'failed', verdict: 'not_recovered' });
  });

  it('runs manually without guards and without a verdict', async () => {
    const action = await world.guard();
    const { runActionManually } = await import('#lib/actions/run/run.ts');
    expect(await runActionManually(world.context, action.id, {})).toMatchObject({ attempt: null, verdict: null });
    expect(await world.series(action)).toBeUndefined();
  });
});

describe('an attempt', () => {
  it('is made once, however often its transition or its deadline arrives', async () => {
    const action = await world.guard({ cooldown_seconds: 60, settle_seconds: 1 });
    const transition = await world.fail();
    await Promise.all(Array.from({ length: 10 }, () => world.fire(action, transition)));
    expect(world.requests).toHaveLength(1);
    await world.elapse(3);
    await world.result(false);
    await world.elapse(30);
    world.pass(30_000);
    const due = { kind: 'remediation', tenant_id: TENANT, action_id: action.id };
    await Promise.all(Array.from({ length: 10 }, () => world.runner(queueEvent([due]))));
    expect(world.requests).toHaveLength(2);
    expect((await world.runs(action)).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('ends as interrupted and not_recovered when its process dies, without a concurrent second attempt', async () => {
    world.answer(dead);
    const action = await world.guard({ settle_seconds: 1, max_attempts: 1 });
    void world.fire(action, await world.fail());
    await expect.poll(() => world.requests.length).toBe(1);
    await world.elapse(60);
    expect(world.requests).toHaveLength(1);
    expect(await world.onlyRun(action)).toMatchObject({ error_message: /^interrupted/, verdict: 'not_recovered' });
  });

  it('continues its series when the check is disabled and enabled, and fails again within stable_seconds', async () => {
    const action = await world.guard({ settle_seconds: 1, max_attempts: 3, cooldown_seconds: 60, stable_seconds: 300 });
    await world.fire(action, await world.fail());
    await world.elapse(3);
    await world.result(false);
    await world.elapse(10);
    expect(await world.series(action)).toMatchObject({ attempts: 1, next_at: expect.any(Number) });
    await world.setCheck({ enabled: false, state: 'unknown', state_since: iso(world.now()) });
    await world.elapse(60);
    expect(await world.entry(action)).toBeUndefined();
    await world.setCheck({ enabled: true });
    await world.fire(
      action,
      await world.fail({ check_from_state: 'unknown', check_from_since: iso(world.now() - 60_000) }),
    );
    expect(await world.series(action)).toMatchObject({ attempts: 2 });
  });

  it('ends as unverified when its process died and its check was disabled', async () => {
    world.answer(dead);
    const action = await world.guard({ settle_seconds: 1, max_attempts: 1 });
    void world.fire(action, await world.fail());
    await expect.poll(() => world.requests.length).toBe(1);
    await world.setCheck({ enabled: false });
    await world.elapse(60);
    const run = await world.onlyRun(action);
    expect(run).toMatchObject({ dispatch_status: 'failed', verdict: 'unverified' });
    expect(run.error_message).toMatch(/^interrupted/);
  });

  it('has an exclusive lock: another action of the entity waits for the verdict', async () => {
    const [one, two] = [await world.guard({ settle_seconds: 20 }), await world.guard({ settle_seconds: 20 })];
    const transition = await world.fail();
    await Promise.all([world.fire(one, transition), world.fire(two, transition)]);
    expect(world.requests).toHaveLength(1);
    const skipped = [...(await world.runs(one)), ...(await world.runs(two))].filter(
      ({ dispatch_status }) => dispatch_status === 'skipped',
    );
    expect(skipped).toMatchObject([{ error_message: /^lock: exe_\w+ has the lock ent_shop$/ }]);
    await world.elapse(25);
    await world.result(false);
    await world.elapse(60);
    expect(world.requests).toHaveLength(2);
  });

  it('runs concurrently with other locks, up to three per account', async () => {
    const transition = await world.fail();
    for (const lock of ['a', 'b', 'c', 'd']) await world.fire(await world.guard({ lock }), transition);
    expect(world.requests).toHaveLength(3);
  });

  /** Takes down the check and four others of the account. Returns the transition of the check. */
  async function storm() {
    const transition = await world.fail();
    for (let i = 0; i < 4; i++) {
      const key = world.keys.transition(TENANT, `chk_${i}`, world.now(), i);
      await world.put({ ...transition, ...key, check_id: `chk_${i}` });
      const entry = world.keys.feedEntry(TENANT, `ent_${i}`, world.now(), `trn_${i}`);
      await world.put({ ...entry, entity_id: `ent_${i}`, check_id: `chk_${i}`, transition_sk: key.sk } as never);
    }
    return transition;
  }

  it('is stopped when five checks of the account go down within a minute', async () => {
    const transition = await storm();
    const action = await world.guard();
    await world.fire(action, transition);
    expect(await world.onlyRun(action)).toMatchObject({
      dispatch_status: 'skipped',
      error_message: 'storm: 5 checks of the account went down within a minute of this failure',
    });
  });

  it('is made despite five failed checks when other entities depend on the failed one', async () => {
    await world.put({ ...world.entity, dependents: 4 });
    const action = await world.guard();
    await world.fire(action, await storm());
    expect(await world.onlyRun(action)).toMatchObject({ dispatch_status: 'success', attempt: 1 });
  });

  it('leaves no deadline when its action is deleted', async () => {
    const action = await world.guard({ settle_seconds: 5 });
    await world.fire(action, await world.fail());
    await deleteAction(world.context, action.id);
    expect(await world.entry(action)).toBeUndefined();
  });

  it('leaves no deadline when its action loses its guards and is then deleted', async () => {
    const action = await world.guard({ settle_seconds: 5 });
    await world.fire(action, await world.fail());
    await updateAction(world.context, action.id, { remediation: null });
    await deleteAction(world.context, action.id);
    expect(await world.entry(action)).toBeUndefined();
  });

  it('is verified with the settings of its start, even if the action is not guarded any more', async () => {
    const action = await world.guard({ settle_seconds: 5 });
    await world.fire(action, await world.fail());
    await updateAction(world.context, action.id, { remediation: null });
    await world.elapse(7);
    await world.result(false);
    await world.elapse(900);
    expect(await world.onlyRun(action)).toMatchObject({ verdict: 'not_recovered' });
    expect(await world.entry(action)).toBeUndefined();
  });
});
