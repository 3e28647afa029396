import { expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { recordProbe } from '#lib/results/slots/record-probe.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { skippedAlert } from '#test/support/alert-decisions.ts';
import { TENANT } from '#test/support/alert-world.ts';
import { CHANNEL, OWNER, remediationWorld } from '#test/unit/actions/remediation/remediation-world.ts';

it.each([
  [false, ['reminder']],
  [true, []],
])('sends a reminder unless a hold starts concurrently: %s', async (isHeld, kinds) => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([CHANNEL], { repeat_interval_seconds: 60 });
  const { sk: transition_sk } = await world.fail();
  await world.addDependency();
  const now = world.now();
  await world.put(deadlineEntry(keys, 'reminder', OWNER, 'r1', now));
  const { transact } = table;
  let isFirst = isHeld;
  world.ports.table.transact = async (writes) => {
    const held = { transition_sk, kind: 'late' as const, reason: 'dependency' as const, from: now };
    if (isFirst) await world.put(deadlineEntry(keys, 'hold', OWNER, 'h1', now, { held }));
    isFirst = false;
    return transact(writes);
  };
  await world.handleDeadline('reminder');
  expect((await world.alerts()).map(({ kind }) => kind)).toEqual(kinds);
});

it('sends no alert for down when the check recovers while the search for its cause starts', async () => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([CHANNEL]);
  await world.addDependency();
  await world.fail({ alert: skippedAlert('cooldown', world.now()) });
  await world.elapse(60);
  const now = world.now();
  await world.put(deadlineEntry(keys, 'late', OWNER, 'c1', now));
  const check = (await table.get<CheckItem>(keys.check(TENANT, 'chk_pay')))!;
  const { transact } = table;
  world.ports.table.transact = async (writes) => {
    world.ports.table.transact = transact;
    await world.handleDeadline('late');
    return transact(writes);
  };
  const outcome = { success: true, status_code: 200, latency_ms: 20, error_message: '', error_kind: null };
  await recordProbe(world, { check, slot: now, started_at: now, outcome, retention_days: 30 });
  expect(await table.get(keys.check(TENANT, 'chk_pay'))).toMatchObject({ state: 'up' });
  expect(await table.get(keys.entry('hold', TENANT, 'chk_pay'))).toBeUndefined();
  expect(await world.alerts()).toEqual([]);
});

it.each(['maintenance', 'remediation'] as const)(
  'keeps an alert that is held for %s when a late alert is due',
  async (reason) => {
    const world = await remediationWorld();
    const { keys, table } = world;
    await world.putPolicy([CHANNEL]);
    await world.addDependency();
    const alert = { ...skippedAlert(reason, world.now()), decision: 'held' as const };
    const { sk: transition_sk } = await world.fail({ alert });
    const now = world.now();
    const held = deadlineEntry(keys, 'hold', OWNER, 'h1', now, { held: { transition_sk, reason, from: now } });
    await world.put(held);
    await world.put(deadlineEntry(keys, 'late', OWNER, 'c1', now));
    await world.handleDeadline('late');
    expect(await table.get(keys.entry('hold', TENANT, 'chk_pay'))).toEqual(held);
    expect(await table.get(keys.entry('late', TENANT, 'chk_pay'))).toBeDefined();
  },
);
