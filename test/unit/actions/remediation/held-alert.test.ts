import { expect, it } from 'vitest';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { type DeadlineEntry, deadlineEntry } from '#lib/schedule/entries.ts';
import { skippedAlert } from '#test/support/alert-decisions.ts';
import { TENANT } from '#test/support/alert-world.ts';
import { CHANNEL, OWNER, remediationWorld } from './remediation-world.ts';

it('sends the held alert of a failure after its remediation failed, and none about the remediation', async () => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([CHANNEL]);
  const action = await world.guard({ max_attempts: 1, cooldown_seconds: 10, settle_seconds: 1 });
  await world.addDependency();
  const transition = await world.fail({ alert: { ...skippedAlert('dependency', world.now()), decision: 'held' } });
  const at = world.now();
  const held = { transition_sk: transition.sk, reason: 'dependency' as const, from: at };
  await world.fire(action, transition);
  await world.put(deadlineEntry(keys, 'hold', OWNER, 'h1', at + 3_600_000, { held }));
  await world.elapse(3);
  await world.result(false);
  await world.elapse(60);
  expect(await world.alerts()).toEqual([]);

  const hold = await table.get<DeadlineEntry>(keys.entry('hold', TENANT, 'chk_pay'));
  await world.put({ ...hold!, deadline: world.now() });
  await world.handleDeadline('hold');
  expect(await table.get<DecidedTransition>(transition)).toMatchObject({ alert: { decision: 'planned' } });
  expect((await world.alerts()).map(({ kind }) => kind)).toEqual(['state_change']);
});
