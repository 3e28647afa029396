import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#lib/messages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

describe('scheduleChange', () => {
  let world: HealthWorld;
  beforeEach(async () => {
    world = await healthWorld();
  });

  const jobs = (): Job[] =>
    world.sent.flatMap(({ queue, message }) => (queue === 'job' ? (message.body as { jobs: Job[] }).jobs : []));

  /**
   * Creates two checks in a cell, the second `ahead` ms before their next slot.
   * @param takes duration of the commit (ms)
   * @returns the second check, the next slot, and the jobs sent for the check
   */
  const createBeforeSlot = async (ahead: number, takes = 0) => {
    const { entity_id, ...first } = await world.check({ interval_seconds: 60 });
    const schedule = intervalScheduleOfCheck({ ...first, interval_seconds: 60 });
    const now = world.ports.clock.now();
    const next = latestSlot(schedule, now) + 120_000;
    world.advance(next - ahead - now);
    world.sent.length = 0;
    const { transact } = world.ports.table;
    world.ports.table.transact = (writes) => {
      world.advance(takes);
      return transact(writes);
    };
    const check = await world.check({ interval_seconds: 60, entity_id });
    return { check, next, jobs: jobs() };
  };

  it('probes the check immediately', async () => {
    const { check, next, jobs } = await createBeforeSlot(5000);
    expect(jobs).toMatchObject([{ slot: next - 60_000, only: [check.id] }]);
  });

  it('sends no immediate probe if the next slot, which would replace it, is due within 250 ms', async () => {
    expect((await createBeforeSlot(249)).jobs).toEqual([]);
  });

  it.each([5, 1000])(
    'probes immediately if the slot passes during the commit, %s ms after its start',
    async (ahead) => {
      const { check, next, jobs } = await createBeforeSlot(ahead, ahead + 20);
      expect(jobs).toMatchObject([{ slot: next, only: [check.id] }]);
    },
  );
});
