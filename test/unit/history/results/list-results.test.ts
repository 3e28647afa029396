import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '#lib/access/context.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { failed, succeeded } from '#lib/checks/outcome.ts';
import { type ResultRange, resultList } from '#lib/history/results/list-results.ts';
import { checkDetail } from '#lib/history/status/check-detail.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { iso } from '#lib/platform/time.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

const now = () => world.ports.clock.now();
const slotOf = (check: CheckItem) => latestSlot(intervalScheduleOfCheck(check), now());
const times = async (check: CheckItem, range: ResultRange = {}, context: Context = world.context) =>
  (await gather(await resultList(context, await world.fresh(check), range))).values.map(({ checked_at }) => checked_at);

describe('the results of a check', () => {
  it('are newest first, even if a change of the interval sets slots back', async () => {
    const check = await world.check({ interval_seconds: 60 });
    const at: string[] = [];
    const probe = async (of: CheckItem) => {
      await world.probe(of, slotOf(of));
      at.unshift(iso(now()));
    };
    for (let i = 0; i < 12; i++) {
      await probe(check);
      world.advance(MINUTE);
    }
    const slower = await updateCheck(world.context, check, { interval_seconds: 86_400 });
    world.advance(2000);
    await probe(slower);
    expect(await times(slower)).toEqual(at);
    expect((await checkDetail(world.context, slower)).last_checked_at).toBe(at[0]);
  });

  it('are unique when settings changed on a clock that ran ahead and was set back', async () => {
    const check = await world.check();
    const at: string[] = [];
    const probeEachMinute = async (of: CheckItem) => {
      for (let i = 0; i < 5; i++) {
        world.advance(MINUTE);
        await world.probe(of, slotOf(of));
        at.unshift(iso(now()));
      }
    };
    await probeEachMinute(check);
    world.advance(60 * MINUTE);
    await updateCheck(world.context, await world.fresh(check), { timeout_ms: 2000 });
    world.advance(-60 * MINUTE);
    const changed = await updateCheck(world.context, await world.fresh(check), { timeout_ms: 3000 });
    await probeEachMinute(changed);
    expect(await times(changed)).toEqual(at);
  });

  it('include days_left, also for packed results, on each page', async () => {
    const check = await world.check({ check_type: 'tls', config: { host: 'example.com' }, failure_threshold: 3 });
    const probe = async (days_left?: number) => {
      world.advance(MINUTE);
      const outcome = days_left === undefined ? failed('tls', 'handshake', 9) : succeeded(9);
      const expiry = days_left === undefined ? {} : { days_left, expires_at: iso(days_left * DAY) };
      const run = { slot: slotOf(check), started_at: now(), retention_days: 30 };
      await world.record({ ...run, check: await world.fresh(check), outcome: { ...outcome, ...expiry } });
    };
    for (const days of [10, 10, 10, undefined, 9, 9]) await probe(days);
    const page = async (limit: number, after?: string) =>
      gather(await resultList(world.context, await world.fresh(check), {}), { limit, after });
    const all = (await page(50)).values;
    expect(all.map(({ days_left }) => days_left)).toEqual([9, 9, undefined, 10, 10, 10]);
    const first = await page(4);
    expect(first.values).toEqual(all.slice(0, 4));
    expect((await page(1, first.next)).values).toEqual(all.slice(4, 5));
  });

  it('have no expires_at without a certificate or domain, although their items expire', async () => {
    const check = await world.check();
    await world.probe(check, slotOf(check));
    const [only] = (await gather(await resultList(world.context, await world.fresh(check), {}))).values;
    expect(only).not.toHaveProperty('expires_at');
  });

  it('contain the first probe once, even if two jobs run it', async () => {
    const check = await world.check();
    world.advance(100);
    await world.probe(check, slotOf(check));
    world.advance(100);
    await world.probe(check, slotOf(check));
    expect(await times(check)).toHaveLength(1);
  });

  it('are found by checked_at when a probe ran long after its slot', async () => {
    const check = await world.check({ interval_seconds: 3600 });
    world.advance(2 * 60 * MINUTE);
    const slot = slotOf(check);
    world.advance(slot + 30 * MINUTE - now());
    await world.probe(check, slot);
    const checked = slot + 30 * MINUTE;
    world.advance(MINUTE);
    expect(await times(check, { since: checked, until: checked + 1 })).toEqual([iso(checked)]);
    expect(await times(check, { since: checked + 1 })).toEqual([]);
    expect(await times(check, { until: checked })).toEqual([]);
  });

  it('are found by checked_at when the clock of an agent is ahead', async () => {
    const check = await world.pushCheck();
    const ahead = now() + 50_000;
    await world.push(check, true, ahead);
    expect(await times(check, { since: ahead, until: ahead + 1 })).toEqual([iso(ahead)]);
    expect(await times(check, { since: ahead + 1 })).toEqual([]);
  });

  it('are exactly those in the range', async () => {
    const check = await world.pushCheck({ interval_seconds: 86_400 });
    const start = now();
    const pushed = [-55_000, -54_000, -20_000, -3000, -2000, -1000, -1, 0, 1, 30_000, 59_999, 60_000];
    for (const offset of pushed) await world.push(check, true, start + offset);
    const around = fc.integer({ min: -70_000, max: 70_000 });
    await fc.assert(
      fc.asyncProperty(fc.option(around), fc.option(around), async (a, b) => {
        const range = { since: a === null ? undefined : start + a, until: b === null ? undefined : start + b };
        const expected = pushed.filter((at) => (a === null || at >= a) && (b === null || at < b));
        expect((await times(check, range)).sort()).toEqual(expected.map((at) => iso(start + at)).sort());
      }),
    );
  });

  it('are returned during the retention of the account', async () => {
    const check = await world.pushCheck();
    await world.push(check);
    world.advance(30 * DAY);
    expect(await times(check)).toHaveLength(1);
    world.advance(1);
    expect(await times(check)).toEqual([]);
    expect(await times(check, { since: now() - 40 * DAY })).toEqual([]);
    expect(await checkDetail(world.context, check)).toMatchObject({ last_result: null, last_checked_at: null });
  });

  it('hide the URL of an error from a read-only key', async () => {
    const check = await world.check();
    await world.probe(check, slotOf(check), 'GET https://example.com/?token=s3cret answered 503');
    const [result] = (await gather(await resultList(world.readOnly, check, {}))).values;
    expect(result?.error_message).toBe('GET ******** answered 503');
    const { last_result } = await checkDetail(world.readOnly, check);
    expect(last_result).toEqual(result);
    expect((await checkDetail(world.context, check)).last_result?.error_message).toContain('s3cret');
  });
});
