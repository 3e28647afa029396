import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Manner } from './virtual-hosts.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

type Alerting = Awaited<ReturnType<typeof alertingCheck>>;
type Gap = { from: string; to: string; slots: number; cause: string };

/** Creates push checks whose agents report each half minute. */
async function fleet(count: number, grace_seconds: number): Promise<Alerting[]> {
  const checks: Alerting[] = [];
  const settings = { check_type: 'push', interval_seconds: 30, config: { grace_seconds } };
  for (let i = 0; i < count; i++) checks.push(await alertingCheck(service, settings));
  return checks;
}

/** Sends a heartbeat of each check about every half minute until `until`. */
async function report(checks: Alerting[], until: number): Promise<void> {
  for (; service.now() < until; await service.pass(25_000)) {
    await service.callAtOnce(checks.map(({ id }) => ['POST', `/v1/checks/${id}/heartbeat`]));
  }
}

const minutes = (count: number) => count * 60_000;
const spanOf = ({ from, to }: Gap) => (Date.parse(to) - Date.parse(from)) / 1000;

/** Outages of a given length, in which `alive` keep reporting if possible. */
const OUTAGES: [string, (ms: number, alive: Alerting[]) => Promise<void>][] = [
  [
    'the whole service is down',
    async (ms) => {
      service.away(ms);
      await service.pass(ms);
    },
  ],
  [
    'no tick arrives while everything else works',
    async (ms, alive) => {
      service.ticks(false);
      await report(alive, service.now() + ms);
      service.ticks(true);
    },
  ],
];

describe.each(OUTAGES)('ten minutes in which %s', (_what, away) => {
  it('do not page, are a gap of each of fifty push checks, and do not count in the uptime', async () => {
    const checks = await fleet(50, 60);
    await report(checks, service.now() + minutes(3));
    await away(minutes(10), checks);
    await report(checks, service.now() + minutes(3));
    expect(alertsAt(service)).toEqual([]);

    for (const check of checks) {
      const gaps: Gap[] = await check.read('/gaps');
      expect(gaps.map(({ cause }) => cause)).toEqual(['outage']);
      expect(spanOf(gaps[0]!)).toBeGreaterThan(7 * 60);
      expect(spanOf(gaps[0]!)).toBeLessThan(12 * 60);
      const { uptime_ratio, gap_seconds, points } = await check.read('/sparkline');
      expect(uptime_ratio).toBe(1);
      expect(gap_seconds).toBe(Math.round(spanOf(gaps[0]!)));
      expect(points.every(({ failures }: { failures: number }) => failures === 0)).toBe(true);
      expect((await check.read('/transitions')).map(({ to_state }: { to_state: string }) => to_state)).toEqual(['up']);
    }
  });

  it('do not excuse an agent that stops reporting: its grace time counts from their end', async () => {
    const [missing, alive] = (await fleet(2, 300)) as [Alerting, Alerting];
    await report([missing, alive], service.now() + minutes(3));
    await away(minutes(10), [alive]);
    await report([alive], service.now() + minutes(9));
    const [{ to: back }] = await missing.read('/gaps');
    const [last] = await missing.read('/transitions');
    expect(last).toMatchObject({ check_to_state: 'down', cause: 'missed_heartbeat' });
    const late = Date.parse(last.timestamp) - Date.parse(back);
    expect(late).toBeGreaterThanOrEqual(300_000);
    expect(late).toBeLessThan(315_000);
    expect(await alive.read('/transitions')).toHaveLength(1);
    expect(alertsAt(service)).toHaveLength(1);
  });

  it('are a gap of a probed check, whose target’s state in that time is unknown', async () => {
    const check = await alertingCheck(service, { interval_seconds: 30 });
    await service.pass(minutes(3));
    const from = service.now();
    schedule([3, 'fails'], [9, 'answers']);
    await away(minutes(10), []);
    await service.pass(minutes(5));
    expect(alertsAt(service)).toEqual([]);
    const gaps: Gap[] = await check.read('/gaps');
    expect(gaps.map(({ cause }) => cause)).toEqual(['outage']);
    const [gap] = gaps as [Gap];
    expect(gap.slots).toBeGreaterThanOrEqual(14);
    expect(gap.slots).toBeLessThanOrEqual(21);
    expect(Date.parse(gap.from)).toBeLessThan(from + minutes(3));
    expect(Date.parse(gap.to)).toBeGreaterThan(from + minutes(9));
    const { uptime_ratio, gap_seconds } = await check.read('/sparkline');
    expect([uptime_ratio, gap_seconds]).toEqual([1, gap.slots * 30]);
  });
});

/** Changes the behavior of the target after the given numbers of minutes. */
function schedule(...story: [minute: number, manner: Manner][]): void {
  const shop = service.host('shop.test');
  const from = service.now();
  shop.does(({ at }) => {
    const manner = story.findLast(([minute]) => at >= from + minutes(minute))?.[1] ?? 'answers';
    return { status: manner === 'answers' ? 200 : 503 };
  });
}

it('shows missing ticks in the health endpoint until the schedule has caught up', async () => {
  const health = () => service.call('GET', '/v1/health');
  await service.pass(minutes(2));
  expect(await health()).toMatchObject({ ok: true, schedule: { ok: true, lag_seconds: 0 } });
  service.ticks(false);
  await service.pass(minutes(10));
  const behind = await health();
  expect(behind).toMatchObject({ ok: false, schedule: { ok: false } });
  expect(behind.schedule.lag_seconds).toBeGreaterThan(7 * 60);
  service.ticks(true);
  await service.pass(minutes(1));
  expect(await health()).toMatchObject({ ok: true, schedule: { ok: true, lag_seconds: 0 } });
});
