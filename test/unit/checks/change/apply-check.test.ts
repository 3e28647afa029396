import { expect, it } from 'vitest';
import { applyCheck } from '#lib/checks/change/apply-check.ts';
import { healthWorld } from '#test/support/health-world.ts';

const DAY_MS = 86_400_000;

it('leaves a check with a schedule unchanged and unwritten if the same settings are applied on later days', async () => {
  const world = await healthWorld();
  const { slug } = await world.entity();
  const body = { entity: `service/${slug}`, check_type: 'push', config: { schedule: '0 9 * * 1-5' } };
  const { check, isNew } = await applyCheck(world.context, 'report', body);
  expect(isNew).toBe(true);
  for (let day = 0; day < 8; day++) {
    world.advance(DAY_MS);
    const before = world.requests.writes;
    expect(await applyCheck(world.context, 'report', body)).toEqual({ check, isNew: false });
    expect(world.requests.writes).toBe(before);
  }
});

it('keeps the interval of an unchanged schedule when another setting changes, also in later requests', async () => {
  const world = await healthWorld();
  const { slug } = await world.entity();
  const body = { entity: `service/${slug}`, check_type: 'push', config: { schedule: '0 9 * * 1-5' } };
  const { check } = await applyCheck(world.context, 'report', body);
  for (let day = 0; day < 8; day++) {
    world.advance(DAY_MS);
    const changed = { ...body, name: `report ${day}`, failure_threshold: 2 + day };
    const { check: next } = await applyCheck(world.context, 'report', changed);
    expect(next.interval_seconds).toBe(check.interval_seconds);
    world.advance(3_600_000);
    expect((await applyCheck(world.context, 'report', changed)).check).toEqual(next);
  }
});
