import { expect, it } from 'vitest';
import { remediationWorld } from './remediation-world.ts';

it('gives the verdict unverified to an attempt whose lock has expired, before the next attempt starts', async () => {
  const world = await remediationWorld();
  const action = await world.guard({ cooldown_seconds: 10, settle_seconds: 5 });
  await world.fire(action, await world.fail());
  world.pass(3_600_000);
  await world.fire(action, await world.fail());
  const [first, skipped] = await world.runs(action);
  expect(first).toMatchObject({ attempt: 1, verdict: null });
  expect(skipped).toMatchObject({ error_message: `lock: ${first!.id} is being verified`, attempt: null });
  expect(world.requests).toHaveLength(1);
  await world.elapse(60);
  const attempts = (await world.runs(action)).filter(({ attempt }) => attempt !== null);
  expect(attempts.slice(0, 2)).toMatchObject([{ attempt: 1, verdict: 'unverified' }, { attempt: 2 }]);
});
