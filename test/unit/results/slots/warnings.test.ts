import { beforeEach, expect, it } from 'vitest';
import { checkTransitions } from '#lib/alerting/explain/transitions.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { succeeded } from '#lib/checks/outcome.ts';
import { resultList } from '#lib/history/results/list-results.ts';
import { cellOf } from '#lib/keys.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { PackItem } from '#lib/results/pack.ts';
import { withLatency } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { slotsBetween } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

const WARNING = 'expected latency_ms to be less than 800, got {latency_ms}';

let world: HealthWorld;
let check: CheckItem;
beforeEach(async () => {
  world = await healthWorld();
  check = await world.check({ failure_threshold: 2, interval_seconds: 60 });
});

/** Records probes that succeed with a warning, one per slot, with these latencies. */
async function warn(...latencies: number[]): Promise<void> {
  for (const latency of latencies) {
    const now = world.ports.clock.now();
    const [slot] = slotsBetween(intervalScheduleOfCheck(check), now, now + 60_000);
    world.advance(slot! - now + 5);
    const outcome = { ...succeeded(latency, 200), warning_message: WARNING };
    const started_at = world.ports.clock.now();
    await world.record({ check: await world.fresh(check), slot: slot!, started_at, outcome, retention_days: 30 });
  }
}

const packs = () =>
  allOf<PackItem>(world.ports.table, { partition: world.keys.packs(check.tenant_id, cellOf(check.id), 60) });

it('packs the results of a check that warns all the time', async () => {
  await warn(801, 802, 803);
  const degraded = await world.fresh(check);
  expect(degraded.state).toBe('degraded');
  await warn(804, 805);
  expect(await world.fresh(check)).toEqual(degraded);
  const stored = await packs();
  // The first result after the change of state may still be a single one.
  expect(stored.length).toBeGreaterThanOrEqual(2);
  for (const { warnings } of stored) expect(warnings).toEqual([WARNING]);
});

it('returns a warning with the latency of its own result, packed or single', async () => {
  await warn(801, 802, 803, 804);
  const { found } = await (await resultList(world.context, await world.fresh(check), {}))(undefined, 10);
  expect(found.map(({ value }) => [value.outcome, value.warning_message])).toEqual(
    [804, 803, 802, 801].map((ms) => ['warn', `expected latency_ms to be less than 800, got ${ms}`]),
  );
});

it('returns the warning with the transition to degraded, with the latency of the deciding result', async () => {
  await warn(801, 802);
  const { found } = await checkTransitions(world.context, await world.fresh(check), {})(undefined, 10);
  expect(found[0]!.value).toMatchObject({
    check_to_state: 'degraded',
    error_message: withLatency(WARNING, { latency_ms: 802 }),
  });
});

it('returns pushed texts verbatim', () => {
  const item = {
    pk: 'p',
    sk: 'R#0001700000000#a',
    status_code: 0,
    latency_ms: 7,
    success: false,
    error_message: 'got {latency_ms}',
    error_kind: 'reported' as const,
    checked_at: '',
    received_at: 1,
  };
  expect(resultRecord('chk_1', item).error_message).toBe('got {latency_ms}');
});
