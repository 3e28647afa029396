import { expect, it } from 'vitest';
import { hearRecovery } from '#lib/alerting/decide/recipients.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { type DeadlineEntry, deadlineEntry } from '#lib/schedule/entries.ts';
import { skippedAlert } from '#test/support/alert-decisions.ts';
import { TENANT } from '#test/support/alert-world.ts';
import { CHANNEL, OWNER, remediationWorld } from './remediation-world.ts';

it('who hears that a repair did not help, while the cause is looked for, is told of the recovery too', async () => {
  const world = await remediationWorld();
  const { keys, table } = world;
  await world.putPolicy([CHANNEL]);
  const action = await world.guard({ max_attempts: 1, cooldown_seconds: 10, settle_seconds: 1 });
  await world.depends();
  const transition = await world.fail({ alert: { ...skippedAlert('dependency', world.now()), decision: 'held' } });
  const at = world.now();
  const held = { transition_sk: transition.sk, reason: 'dependency' as const, from: at };
  await world.fire(action, transition);
  await world.put(deadlineEntry(keys, 'hold', OWNER, 'h1', at + 3_600_000, { held }));
  await world.elapse(3);
  await world.result(false);
  await world.elapse(60);
  expect((await world.alerts()).map(({ kind }) => kind)).toEqual(['remediation_failed']);
  const hold = await table.get<DeadlineEntry>(keys.entry('hold', TENANT, 'chk_pay'));
  expect(hearRecovery(hold, [CHANNEL, { ...CHANNEL, id: 'chn_2' }], {})).toEqual([CHANNEL]);

  // Nobody is left who would hear of it when its cause is known.
  await world.put({ ...hold!, deadline: world.now() });
  await world.due('hold');
  expect(await table.get<DecidedTransition>(transition)).toMatchObject({
    alert: { decision: 'skipped', reason: 'dependency' },
  });
  expect(await world.alerts()).toHaveLength(1);
});
