import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#lib/messages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

describe('a check whose settings change', () => {
  let world: HealthWorld;
  beforeEach(async () => {
    world = await healthWorld();
  });

  const jobs = (): Job[] =>
    world.sent.flatMap(({ queue, message }) => (queue === 'job' ? (message.body as { jobs: Job[] }).jobs : []));

  /**
   * A check beside another of its cell, made so long (ms) before their next slot.
   * @param takes how long (ms) it takes to write it
   * @returns its jobs
   */
  const madeBeforeItsSlot = async (ahead: number, takes = 0) => {
    const { entity_id, ...first } = await world.check({ interval_seconds: 60 });
    const rhythm = intervalScheduleOfCheck({ ...first, interval_seconds: 60 });
    const now = world.ports.clock.now();
    const next = latestSlot(rhythm, now) + 120_000;
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

  it('is probed at once', async () => {
    const { check, next, jobs } = await madeBeforeItsSlot(5000);
    expect(jobs).toMatchObject([{ slot: next - 60_000, only: [check.id] }]);
  });

  it('is probed by its next slot where that is due within 250 ms, and so is never late at its start', async () => {
    expect((await madeBeforeItsSlot(249)).jobs).toEqual([]);
  });

  it.each([5, 1000])('is probed at once where its slot passes while it is written, %s ms ahead', async (ahead) => {
    const { check, next, jobs } = await madeBeforeItsSlot(ahead, ahead + 20);
    expect(jobs).toMatchObject([{ slot: next, only: [check.id] }]);
  });
});
