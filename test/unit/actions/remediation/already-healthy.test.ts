import { beforeEach, describe, expect, it } from 'vitest';
import { type RemediationWorld, remediationWorld } from './remediation-world.ts';

let world: RemediationWorld;
beforeEach(async () => {
  world = await remediationWorld();
});

describe('a guarded action', () => {
  it('is skipped as already_healthy when its check has recovered', async () => {
    const action = await world.guard();
    const transition = await world.fail();
    await world.result(true);
    await world.fire(action, transition);
    expect(world.requests).toEqual([]);
    expect(await world.onlyRun(action)).toMatchObject({
      dispatch_status: 'skipped',
      verdict: 'already_healthy',
      error_message: 'already_healthy: the failure has ended',
    });
  });

  it('is skipped when its check became healthy, even if its entity became degraded', async () => {
    const action = await world.guard({}, { trigger_to_state: 'degraded' });
    const recovered = {
      from_state: 'down',
      check_from_state: 'down',
      to_state: 'degraded',
      check_to_state: 'up',
    } as const;
    const transition = await world.fail(recovered);
    await world.fire(action, transition);
    expect(world.requests).toEqual([]);
    expect(await world.onlyRun(action)).toMatchObject({ dispatch_status: 'skipped', verdict: 'already_healthy' });
  });
});
