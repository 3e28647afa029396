import { describe, expect, it } from 'vitest';
import { createRelation } from '#lib/catalog/relations/change-relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

/** Creates a check that is up, with or without a dependency of its entity. */
async function checkThatIsUp(depends: boolean) {
  const world = await healthWorld();
  const check = await world.check({ failure_threshold: 1 });
  if (depends) {
    const { id: to_entity_id } = await world.entity();
    const relation = { from_entity_id: check.entity_id, to_entity_id, relation_type: 'depends_on' };
    await createRelation(world.context, relation);
  }
  /** Records a result. Returns the numbers of table requests that it took. */
  const run = async (of: CheckItem, error = '') => {
    world.advance(of.interval_seconds * 1000);
    const slot = latestSlot(intervalScheduleOfCheck(of), world.ports.clock.now());
    const before = { ...world.requests };
    await world.probe(of, slot, error);
    await world.written();
    return { reads: world.requests.reads - before.reads, writes: world.requests.writes - before.writes };
  };
  await run(check);
  return { check, run };
}

describe('the cost of dependencies', () => {
  it('needs one read and one write for a state change without dependencies', async () => {
    const { check, run } = await checkThatIsUp(false);
    // The extra read is the check, which a prober has already.
    expect(await run(check, 'broken')).toEqual({ reads: 2, writes: 1 });
    expect(await run(check)).toEqual({ reads: 2, writes: 1 });
  });

  it.each([false, true])('needs no read for an unchanged result (dependencies: %s)', async (depends) => {
    const { check, run } = await checkThatIsUp(depends);
    expect(await run(check)).toEqual({ reads: 1, writes: 1 });
  });
});
