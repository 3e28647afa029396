import { expect, it } from 'vitest';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import { applyResult } from '#lib/checks/state/apply-result.ts';
import { iso } from '#lib/platform/time.ts';
import { healthWorld } from '#test/support/health-world.ts';

type AppliedResult = Parameters<typeof applyResult>[2];

const world = await healthWorld();
const { ports, keys } = world;
const RAN_AT = ports.clock.now() - 500;

const result = (outcome: Outcome, more: Partial<AppliedResult> = {}): AppliedResult => ({
  outcome,
  ran_at: RAN_AT,
  reason: outcome === 'ok' ? '' : 'no answer',
  cause: 'result',
  retention_days: 30,
  ...more,
});

/** Creates a check that is up with this number of consecutive failures, and goes down at the second. */
async function checkAt(failures: number): Promise<CheckItem> {
  const check = await world.check({ failure_threshold: 2 });
  return { ...check, state: 'up', consecutive_failures: failures };
}

/** Applies a result. Returns the changes, the check that they write (`next`), and the other written items. */
async function written(check: CheckItem, applied: AppliedResult) {
  const changes = await applyResult(world, check, applied);
  const puts = changes?.writes.flatMap((write) => ('put' in write ? [write.put] : [])) ?? [];
  const next = puts.find(({ sk }) => sk === check.sk) as CheckItem | undefined;
  return { changes, next, others: puts.filter((item) => item !== next) };
}

it.each([
  ['another success', 0, 'ok'],
  ['a failure of a check that is down already', 2, 'fail'],
] as const)('writes nothing for %s', async (_what, failures, outcome) => {
  const check: CheckItem = { ...(await checkAt(failures)), ...(failures === 2 && { state: 'down' }) };
  expect(await applyResult(world, check, result(outcome))).toEqual({ writes: [], deadlines: [] });
});

it.each([
  ['a failure below the threshold is counted', 0, 'fail', 1],
  ['a success before the threshold resets the count', 1, 'ok', 0],
] as const)('writes only the check: %s', async (_what, failures, outcome, counted) => {
  const check = await checkAt(failures);
  const { changes, next, others } = await written(check, result(outcome));
  expect(next).toMatchObject({ state: 'up', consecutive_failures: counted });
  expect(others).toEqual([]);
  expect(changes?.writes).toEqual([{ put: next, if: { version: check.v } }]);
});

it('reports the earlier warning if a successful result changes the check from down to degraded', async () => {
  const down = { state: 'down', consecutive_failures: 1, consecutive_successes: 1, consecutive_oks: 0 } as const;
  const check = { ...(await world.check({ recovery_threshold: 2 })), ...down };
  const { others } = await written(check, result('ok'));
  expect(others.find((item) => 'transition_id' in item)).toMatchObject({
    check_to_state: 'degraded',
    error_message:
      'no failure in the last 2 results, but a warning: degraded until 2 consecutive results have no failure or warning',
  });
});

it('changes check, entity, transition and feed together at the failure that reaches the threshold', async () => {
  const check = await checkAt(1);
  const { changes, next, others } = await written(check, result('fail'));
  const transition = others.find((item) => 'transition_id' in item);
  expect(next).toMatchObject({ state: 'down', consecutive_failures: 2 });
  expect(transition).toMatchObject({ check_from_state: 'up', check_to_state: 'down', error_message: 'no answer' });
  expect(others).toContainEqual(expect.objectContaining({ id: check.entity_id, checks: { [check.id]: 'down' } }));
  expect(others).toContainEqual(expect.objectContaining({ transition_sk: transition?.sk }));
  expect(changes?.writes).toContainEqual({ put: next, if: { version: check.v } });
});

it('counts an outage from its first failed probe to the first successful one', async () => {
  const [first, second] = [RAN_AT - 60_000, RAN_AT];
  const one = await written(await checkAt(0), result('fail', { ran_at: first }));
  expect(one.next).toMatchObject({ state: 'up', streaks_since: { failures: first } });
  const two = await written(one.next!, result('fail', { ran_at: second }));
  expect(two.next).toMatchObject({ state: 'down', effective_at: first });
  expect(two.others).toContainEqual(expect.objectContaining({ effective_at: first, outage_started_at: iso(first) }));
  const three = await written(two.next!, result('ok', { ran_at: second + 400 }));
  expect(three.next).toMatchObject({ state: 'up', effective_at: second + 400 });
  expect(three.next).not.toHaveProperty('streaks_since');
  expect(three.others).toContainEqual(
    expect.objectContaining({
      ...{ effective_at: second + 400, outage_started_at: null, check_to_state: 'up' },
      check_from_since: iso(first),
    }),
  );
});

it('ends an outage at the first of the consecutive successes', async () => {
  const check: CheckItem = { ...(await checkAt(1)), recovery_threshold: 3 };
  const down = await written(check, result('fail', { ran_at: RAN_AT - 9000 }));
  const lapse = await written(down.next!, result('ok', { ran_at: RAN_AT - 8000 }));
  const again = await written(lapse.next!, result('fail', { ran_at: RAN_AT - 7000 }));
  const one = await written(again.next!, result('ok', { ran_at: RAN_AT - 6000 }));
  expect(one.next).toMatchObject({ state: 'down', consecutive_successes: 1 });
  const two = await written(one.next!, result('ok', { ran_at: RAN_AT - 5000 }));
  const three = await written(two.next!, result('ok', { ran_at: RAN_AT - 4000 }));
  expect(three.next).toMatchObject({ state: 'up', effective_at: RAN_AT - 6000 });
});

it('counts degraded from the start of the streak, with the warning of the last result in the transition', async () => {
  const check = await checkAt(0);
  const one = await written(check, result('fail', { ran_at: RAN_AT - 3000 }));
  const two = await written(one.next!, result('warn', { ran_at: RAN_AT - 2000, reason: 'slow' }));
  expect(two.next).toMatchObject({ state: 'degraded', effective_at: RAN_AT - 3000 });
  expect(two.others).toContainEqual(
    expect.objectContaining({ check_to_state: 'degraded', error_message: 'slow', outage_started_at: null }),
  );
  const failed = await written(two.next!, result('fail', { ran_at: RAN_AT - 1000 }));
  expect(failed.next).toMatchObject({ state: 'degraded', consecutive_failures: 1 });
  const worse = await written(failed.next!, result('fail'));
  expect(worse.others).toContainEqual(
    expect.objectContaining({ check_from_state: 'degraded', outage_started_at: iso(RAN_AT - 1000) }),
  );
});

it.each([
  ['up', ['fail', 'warn', 'fail', 'ok', 'ok', 'ok']],
  ['down', ['warn', 'ok', 'fail', 'fail', 'ok', 'fail']],
] as const)('drops counters and streaks that no longer matter from a check that is %s', async (state, outcomes) => {
  const begun = await checkAt(0);
  let check: CheckItem = { ...begun, recovery_threshold: 3 };
  for (const outcome of outcomes) check = (await written(check, result(outcome))).next ?? check;
  expect(check).toMatchObject({ state, consecutive_failures: state === 'down' ? 2 : 0 });
  const added = Object.keys(check).filter((property) => !Object.hasOwn(begun, property));
  expect(added).toEqual(state === 'down' ? ['error_message', 'effective_at'] : ['effective_at']);
});

it.each(['ok', 'warn', 'fail'] as const)('writes nothing for repeated %s', async (steady) => {
  let check: CheckItem = { ...(await checkAt(1)), recovery_threshold: 3 };
  for (let i = 0; i < 6; i++) check = (await written(check, result(steady))).next ?? check;
  expect(await applyResult(world, check, result(steady))).toEqual({ writes: [], deadlines: [] });
});

it('starts an outage no earlier than the previous state, even for pushes with past times', async () => {
  const check: CheckItem = {
    ...(await checkAt(1)),
    effective_at: RAN_AT - 1000,
    streaks_since: { failures: RAN_AT - 5000 },
  };
  const { others } = await written(check, result('fail'));
  expect(others).toContainEqual(expect.objectContaining({ outage_started_at: iso(RAN_AT - 1000) }));
});

it('writes the check if something else changes, even in the same state', async () => {
  const last_received = { at: 1, received_at: 2 };
  const { next, others } = await written(
    { ...(await checkAt(0)), missed_at: 5 },
    result('ok', { also: { last_received }, removed: ['missed_at'] }),
  );
  expect(next).toMatchObject({ state: 'up', last_received });
  expect(next).not.toHaveProperty('missed_at');
  expect(others).toEqual([]);
});

it('removes the mark of a detected missed heartbeat with each write', async () => {
  const { next } = await written({ ...(await checkAt(0)), missed_mark: 'm' }, result('fail'));
  expect(next).toBeDefined();
  expect(next).not.toHaveProperty('missed_mark');
});

it('drops a state change of a check whose entity does not exist', async () => {
  const check = await checkAt(1);
  const entity = (await ports.table.get<EntityItem>(keys.entity(check.tenant_id, check.entity_id)))!;
  await ports.table.transact([{ delete: { pk: entity.pk, sk: entity.sk } }]);
  expect(await applyResult(world, check, result('fail'))).toBeUndefined();
});
