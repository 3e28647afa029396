import { describe, expect, it } from 'vitest';
import { createRelation } from '#lib/catalog/relations/change-relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

/** A check that is up, of an entity that depends on another one or does not. */
async function upCheck(depends: boolean) {
  const world = await healthWorld();
  const check = await world.check({ failure_threshold: 1 });
  if (depends) {
    const { id: to_entity_id } = await world.entity();
    const relation = { from_entity_id: check.entity_id, to_entity_id, relation_type: 'depends_on' };
    await createRelation(world.context, relation);
  }
  /** Requests to the table that a run of the check takes. */
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

describe('what dependencies cost', () => {
  it('a change of state is one read and one write, where there are none', async () => {
    const { check, run } = await upCheck(false);
    // The check itself is read once more, as a prober that has it in hand does not.
    expect(await run(check, 'broken')).toEqual({ reads: 2, writes: 1 });
    expect(await run(check)).toEqual({ reads: 2, writes: 1 });
  });

  it.each([false, true])('a run that changes nothing reads nothing of it (dependencies: %s)', async (depends) => {
    const { check, run } = await upCheck(depends);
    expect(await run(check)).toEqual({ reads: 1, writes: 1 });
  });
});
