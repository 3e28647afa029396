import { beforeEach, describe, expect, it } from 'vitest';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { findGaps, type Gap } from '#lib/history/results/gaps.ts';
import { measureCheck } from '#lib/history/rollups/measure-check.ts';
import { PACK_MS } from '#lib/results/pack.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

const MINUTE = 60_000;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
  await world.watermark(24 * 60 * MINUTE);
});

const now = () => world.ports.clock.now();
const gapsOf = async (check: CheckItem, from = 0, until = now()) =>
  (await findGaps(world.context, check, { from, until }, { gaps: 1000 })).gaps;
/** Moves the clock to the next slot of a check and returns it. */
const nextSlot = (check: CheckItem): number => {
  const rhythm = intervalScheduleOfCheck(check);
  const slot = latestSlot(rhythm, now()) + rhythm.interval_ms;
  world.advance(slot - now());
  return slot;
};
const probeSlots = async (check: CheckItem, count: number) => {
  for (let i = 0; i < count; i++) await world.probe(check, nextSlot(check));
};

describe('the gaps of a probed check', () => {
  it('are empty when every slot has its result', async () => {
    const check = await world.check();
    await probeSlots(check, 5);
    world.advance(10 * 1000);
    expect(await gapsOf(check)).toEqual([]);
  });

  it('are the slots without a result, joined when consecutive', async () => {
    const check = await world.check();
    await probeSlots(check, 1);
    const missed = nextSlot(check);
    nextSlot(check);
    await probeSlots(check, 1);
    const alone = nextSlot(check);
    await probeSlots(check, 2);
    expect(await gapsOf(check)).toEqual([
      { from: missed, to: missed + 2 * MINUTE, slots: 2, cause: 'late' },
      { from: alone, to: alone + MINUTE, slots: 1, cause: 'late' },
    ]);
  });

  it('are empty while disabled, even if an earlier change of settings has a future time', async () => {
    const check = await world.check();
    await probeSlots(check, 3);
    world.advance(60 * MINUTE);
    await updateCheck(world.context, await world.fresh(check), { timeout_ms: 2000 });
    world.advance(-60 * MINUTE);
    const disabled = await updateCheck(world.context, await world.fresh(check), { enabled: false });
    world.advance(3 * 60 * MINUTE);
    expect(await gapsOf(disabled)).toEqual([]);
  });

  it('appear when a slot can no longer be recorded: after its successor, the timeout, and the wait of a pack', async () => {
    const check = await world.check({ timeout_ms: 5000 });
    nextSlot(check);
    world.advance(MINUTE + PACK_MS + 4_999);
    expect(await gapsOf(check)).toEqual([]);
    world.advance(1);
    expect(await gapsOf(check)).toMatchObject([{ slots: 1, cause: 'late' }]);
  });

  it('have the cause outage if an outage cut off the probe', async () => {
    const check = await world.check({ timeout_ms: 5000 });
    await probeSlots(check, 1);
    const slot = nextSlot(check);
    const reach = world.ports.settings.JOB_GROUP_MS + 5000;
    await recordOutage(world, { from: slot + reach, to: slot + 2 * MINUTE });
    const later = latestSlot(intervalScheduleOfCheck(check), slot + 4 * MINUTE);
    await recordOutage(world, { from: later + reach + 1, to: later + reach + 2 });
    world.advance(3 * MINUTE);
    await world.probe(check, slot + 3 * MINUTE);
    world.advance(3 * MINUTE);
    expect((await gapsOf(check)).slice(0, 3)).toMatchObject([
      { from: slot, slots: 2, cause: 'outage' },
      { from: slot + 2 * MINUTE, slots: 1, cause: 'late' },
      { from: later, cause: 'late' },
    ]);
  });

  it('have the cause outage during an outage, also before the outage is recorded', async () => {
    const check = await world.check();
    await probeSlots(check, 1);
    const slot = nextSlot(check);
    await recordOutage(world, { from: slot - 10, to: slot + 10 });
    await probeSlots(check, 1);
    await world.watermark(10);
    const next = nextSlot(check);
    world.advance(3 * MINUTE);
    expect(await gapsOf(check)).toEqual([
      { from: slot, to: slot + MINUTE, slots: 1, cause: 'outage' },
      { from: next, to: next + 2 * MINUTE, slots: 2, cause: 'outage' },
    ]);
  });

  it('have the cause that was noted for the slot', async () => {
    const check = await world.check();
    const slots = [nextSlot(check), nextSlot(check), nextSlot(check)];
    await world.recordGap(check, slots[0]!, 'network');
    await world.recordGap(check, slots[1]!, 'network');
    await world.recordGap(check, slots[2]!, 'error');
    world.advance(2 * MINUTE);
    expect(await gapsOf(check)).toEqual([
      { from: slots[0], to: slots[2], slots: 2, cause: 'network' },
      { from: slots[2], to: slots[2]! + MINUTE, slots: 1, cause: 'error' },
    ]);
  });

  it('exclude disabled times, and slots that the probe after a change replaces', async () => {
    const check = await world.check();
    await probeSlots(check, 1);
    nextSlot(check);
    world.advance(1000);
    const disabled = await updateCheck(world.context, check, { enabled: false });
    world.advance(30 * MINUTE);
    const enabled = await updateCheck(world.context, disabled, { enabled: true });
    await world.probe(check, latestSlot(intervalScheduleOfCheck(check), now()));
    await probeSlots(enabled, 2);
    nextSlot(check);
    const slower = await updateCheck(world.context, enabled, { interval_seconds: 300 });
    world.advance(20 * MINUTE);
    const gaps = await gapsOf(slower);
    expect(gaps).toMatchObject([{ cause: 'late' }]);
    expect(gaps[0]!.from).toBeGreaterThanOrEqual(slower.settings_at);
    expect(gaps[0]!.to - gaps[0]!.from).toBe(gaps[0]!.slots * 5 * MINUTE);
  });

  it('stop at the limits of gaps and of entries, and continue from there', async () => {
    const check = await world.check();
    for (let i = 0; i < 5; i++) {
      nextSlot(check);
      await probeSlots(check, 1);
    }
    world.advance(10_000);
    const all = await gapsOf(check);
    expect(all).toHaveLength(5);
    for (const most of [{ gaps: 2 }, { gaps: 1 }, { gaps: 1000, entries: 2 }]) {
      const found: Gap[] = [];
      let from: number | undefined = 0;
      while (from !== undefined) {
        const page: { gaps: Gap[]; next?: number } = await findGaps(world.context, check, { from, until: now() }, most);
        expect(page.gaps.length).toBeLessThanOrEqual(most.gaps);
        found.push(...page.gaps);
        from = page.next;
      }
      expect(found).toEqual(all);
    }
  });
});

describe('the gaps of a push check', () => {
  it('are service outages while the check was enabled, not missed heartbeats', async () => {
    const check = await world.pushCheck({ interval_seconds: 60 });
    await world.push(check);
    world.advance(30 * MINUTE);
    const from = now();
    await recordOutage(world, { from, to: from + 10 * MINUTE });
    world.advance(4 * MINUTE);
    await updateCheck(world.context, await world.fresh(check), { enabled: false });
    world.advance(30 * MINUTE);
    expect(await gapsOf(check)).toEqual([{ from, to: from + 4 * MINUTE, slots: 4, cause: 'outage' }]);
    expect(await gapsOf(check, from + MINUTE, from + 2 * MINUTE)).toEqual([
      { from: from + MINUTE, to: from + 2 * MINUTE, slots: 1, cause: 'outage' },
    ]);
  });

  it('continue over a change of settings', async () => {
    const check = await world.pushCheck({ interval_seconds: 60 });
    const from = now();
    world.advance(2 * MINUTE);
    await updateCheck(world.context, check, { failure_threshold: 5 });
    world.advance(2 * MINUTE);
    await recordOutage(world, { from, to: now() });
    expect(await gapsOf(check)).toEqual([{ from, to: from + 4 * MINUTE, slots: 4, cause: 'outage' }]);
  });

  it('count the due times of the schedule and zone in force', async () => {
    const at = (text: string) => Date.parse(text);
    world.advance(at('2027-10-30T00:00:00Z') - now());
    const config = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' };
    const check = await world.pushCheck({ config });
    // 02:30 in Berlin is 00:30 UTC until the 31st, and 01:30 from November 1: clocks are set back on the 31st at 01:00
    // UTC.
    await recordOutage(world, { from: at('2027-10-31T00:00:00Z'), to: at('2027-11-01T01:30:00Z') });
    await recordOutage(world, { from: at('2027-11-01T01:30:00Z') + 1, to: at('2027-11-01T20:00:00Z') });
    world.advance(at('2027-11-02T00:00:00Z') - now());
    await updateCheck(world.context, check, { config: { schedule: '*/10 * * * *', timezone: 'UTC' } });
    await recordOutage(world, { from: at('2027-11-02T03:00:00Z'), to: at('2027-11-02T03:30:00Z') });
    world.advance(4 * 60 * MINUTE);
    await world.watermark(MINUTE);
    const changed = await world.fresh(check);
    expect((await gapsOf(changed)).map(({ slots }) => slots)).toEqual([1, 0, 3]);
    // The history counts the same missed due times.
    const [measured] = await measureCheck(world.context, changed, [{ from: at('2027-10-30T00:00:00Z'), to: now() }]);
    expect(measured!.gaps.outage).toBe(4);
  });
});
