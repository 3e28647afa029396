import { expect, it } from 'vitest';
import { createCheck, deleteCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import { failed, succeeded } from '#lib/checks/outcome.ts';
import { after, RESULTS } from '#lib/keys.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type Probe, recordProbe } from '#lib/results/slots/record-probe.ts';
import { healthWorld } from '#test/support/health-world.ts';

const world = await healthWorld();
const { ports, keys, requests } = world;

/** Returns a successful probe of a new check, at its first slot. */
async function newProbe(more: Partial<Probe> = {}): Promise<Probe> {
  const check = await world.check({ failure_threshold: 2 });
  const now = ports.clock.now();
  return { check, slot: now, started_at: now, outcome: succeeded(40, 200), retention_days: 30, ...more };
}

async function results({ check }: Probe): Promise<ResultItem[]> {
  const partition = keys.ofCheck(check.tenant_id, check.id);
  return (await ports.table.query<ResultItem>({ partition, from: RESULTS, to: after(RESULTS) })).items;
}

it('costs one write and no read for a probe without changes', async () => {
  const first = await newProbe();
  await recordProbe(world, first);
  const steady = { ...first, check: await world.fresh(first.check), slot: first.slot + 60_000 };
  Object.assign(requests, { reads: 0, writes: 0 });
  expect(await recordProbe(world, steady)).toBe('recorded');
  expect(requests).toEqual({ reads: 0, writes: 1 });
});

it('does not count a recorded failure of a slot twice', async () => {
  const probe = await newProbe({ outcome: failed('connect', 'refused', 3) });
  expect(await recordProbe(world, probe)).toBe('recorded');
  expect(await recordProbe(world, { ...probe, check: await world.fresh(probe.check) })).toBe('repeated');
  expect(await world.fresh(probe.check)).toMatchObject({ consecutive_failures: 1, state: 'unknown' });
});

it('stores a probe with older settings without applying it', async () => {
  const probe = await newProbe({ outcome: failed('connect', 'refused', 3) });
  await updateCheck(world.context, probe.check, { timeout_ms: 1000 });
  expect(await recordProbe(world, probe)).toBe('history');
  expect(await results(probe)).toEqual([expect.objectContaining({ record_only: true, error_kind: 'connect' })]);
  expect(await world.fresh(probe.check)).toMatchObject({ consecutive_failures: 0 });
});

it('records a probe with the new settings in a slot that has one with older settings', async () => {
  const probe = await newProbe({ outcome: failed('connect', 'refused', 3) });
  await updateCheck(world.context, probe.check, { timeout_ms: 1000 });
  await recordProbe(world, probe);
  const check = await world.fresh(probe.check);
  expect(await recordProbe(world, { ...probe, check })).toBe('recorded');
  expect(await world.fresh(probe.check)).toMatchObject({ consecutive_failures: 1 });
});

it('stores nothing for a probe of a deleted check', async () => {
  const probe = await newProbe();
  await deleteCheck(world.context, probe.check);
  expect(await recordProbe(world, probe)).toBe('dropped');
  expect(await results(probe)).toEqual([]);
});

it('keeps exactly the properties that results of the check type have', async () => {
  const tls = { check_type: 'tls', config: { host: 'example.com' } };
  const check = await createCheck(world.context, { ...tls, entity_id: (await world.entity()).id });
  const outcome = { ...succeeded(40), days_left: 12, color: 'red' };
  const probe = await newProbe({ check, outcome });
  await recordProbe(world, probe);
  const [result] = await results(probe);
  expect(result).toMatchObject({ success: true, noted: { days_left: 12 } });
  expect(result!.noted).not.toHaveProperty('color');
});
