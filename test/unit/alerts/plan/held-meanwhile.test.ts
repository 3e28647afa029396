import { expect, it } from 'vitest';
import { handleDeadlines } from '#lib/alerts/plan/handle-deadlines.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel } from '#lib/checks/policy-item.ts';
import { recordProbe } from '#lib/health/recording/record-probe.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { skippedAlert, TENANT } from '#test/support/alert-world.ts';
import { remediationWorld } from '#test/unit/actions/remediation/remediation-world.ts';

const channel: Channel = {
  ...{ id: 'chn_1', channel_type: 'slack', config: { url: 'https://hooks.example.com/1' } },
  created_at: '2026-11-21T05:00:00.000Z',
};
const owner = { tenant_id: TENANT, entity_id: 'ent_shop', id: 'chk_pay' };

it.each([
  [false, ['repeat']],
  [true, []],
])('a repeat is sent unless its alert begins to be held while it is decided on: %s', async (isHeld, kinds) => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([channel], { repeat_interval_seconds: 60 });
  const { sk: transition_sk } = await world.fail();
  const entity = (await table.get<EntityItem>(keys.entity(TENANT, 'ent_shop')))!;
  await world.put({ ...entity, dependencies: 1 });
  const now = world.now();
  await world.put(deadlineEntry(keys, 'repeat', owner, 'r1', now));
  const { transact } = table;
  let isFirst = isHeld;
  world.ports.table.transact = async (writes) => {
    const held = { transition_sk, kind: 'catch_up' as const, reason: 'dependency' as const, from: now };
    if (isFirst) await world.put(deadlineEntry(keys, 'hold', owner, 'h1', now, { held }));
    isFirst = false;
    return transact(writes);
  };
  await handleDeadlines(world, [
    { ...{ kind: 'repeat', tenant_id: TENANT }, entity_id: 'ent_shop', check_id: 'chk_pay', at: now },
  ]);
  expect((await world.alerts()).map(({ kind }) => kind)).toEqual(kinds);
});

it('nobody is told that a check is down that comes up while the cause of that begins to be looked for', async () => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([channel]);
  await world.put({ ...world.entity, dependencies: 1, checks: { chk_pay: 'down' } });
  await world.fail({ alert: skippedAlert('cooldown', world.now()) });
  await world.elapse(60);
  const now = world.now();
  await world.put(deadlineEntry(keys, 'catch_up', owner, 'c1', now));
  const check = (await table.get<CheckItem>(keys.check(TENANT, 'chk_pay')))!;
  const { transact } = table;
  world.ports.table.transact = async (writes) => {
    world.ports.table.transact = transact;
    await handleDeadlines(world, [
      { ...{ kind: 'catch_up', tenant_id: TENANT }, entity_id: 'ent_shop', check_id: 'chk_pay', at: now },
    ]);
    return transact(writes);
  };
  const outcome = { success: true, status_code: 200, latency_ms: 20, error_message: '', error_kind: null };
  await recordProbe(world, { check, slot: now, started_at: now, outcome, retention_days: 30 });
  expect(await table.get(keys.check(TENANT, 'chk_pay'))).toMatchObject({ state: 'up' });
  expect(await table.get(keys.entry('hold', TENANT, 'chk_pay'))).toBeUndefined();
  expect(await world.alerts()).toEqual([]);
});

it.each(['maintenance', 'remediation'] as const)(
  'a late alert that is due takes nothing from what is held for %s: that is decided first',
  async (reason) => {
    const world = await remediationWorld();
    const { keys, table } = world;
    await world.putPolicy([channel]);
    await world.put({ ...world.entity, dependencies: 1, checks: { chk_pay: 'down' } });
    const alert = { ...skippedAlert(reason, world.now()), decision: 'held' as const };
    const { sk: transition_sk } = await world.fail({ alert });
    const now = world.now();
    const held = deadlineEntry(keys, 'hold', owner, 'h1', now, { held: { transition_sk, reason, from: now } });
    await world.put(held);
    await world.put(deadlineEntry(keys, 'catch_up', owner, 'c1', now));
    await handleDeadlines(world, [
      { ...{ kind: 'catch_up', tenant_id: TENANT }, entity_id: 'ent_shop', check_id: 'chk_pay', at: now },
    ]);
    expect(await table.get(keys.entry('hold', TENANT, 'chk_pay'))).toEqual(held);
    expect(await table.get(keys.entry('catch_up', TENANT, 'chk_pay'))).toBeDefined();
  },
);
