import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Item } from '#lib/platform/ports.ts';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

/** Creates a check that went down and up again, with its alerts. */
async function recoveredCheck() {
  const check = await alertingCheck(service, {
    check_type: 'push',
    interval_seconds: 86_400,
    config: { grace_seconds: 63_244_800 },
    policy: { cooldown_seconds: 0 },
  });
  for (const success of [false, true]) {
    await check.push(success);
    // Sends each alert before the next push; if they were sent out of order, a late alert would follow.
    await service.pass(30_000);
  }
  return check;
}

it('returns results for the retention of the account, and transitions and deliveries for ninety days', async () => {
  const check = await recoveredCheck();
  const shown = async () => ({
    results: (await check.read('/results')).results.length,
    last: (await check.read()).last_result !== null,
    uptime: (await service.call('GET', `/v1/checks/${check.id}/sparkline?hours=720`)).uptime_ratio,
    transitions: (await check.read('/transitions')).length,
    feed: (await service.call('GET', '/v1/status/transitions')).length,
    deliveries: (await service.call('GET', '/v1/notify/logs')).length,
  });
  const histories = { transitions: 2, feed: 2, deliveries: 2 };
  expect(await shown()).toEqual({ results: 2, last: true, uptime: 0.5, ...histories });

  service.away(29.9 * DAY);
  await service.pass(29.9 * DAY + 60_000);
  expect(await shown()).toEqual({ results: 2, last: true, uptime: 0.5, ...histories });

  service.away(0.2 * DAY);
  await service.pass(0.2 * DAY + 60_000);
  expect(await shown()).toEqual({ results: 0, last: false, uptime: null, ...histories });

  service.away(61 * DAY);
  await service.pass(61 * DAY + 60_000);
  expect(await shown()).toEqual({ results: 0, last: false, uptime: null, transitions: 0, feed: 0, deliveries: 0 });
  // The state does not depend on deleted history.
  expect((await check.read()).state).toBe('up');
});

it('stores all history with an expiry', async () => {
  await recoveredCheck();
  const begun = service.now();
  const kept = (find: (item: Item) => boolean) =>
    [...service.seen.table.values()].filter(find).map((item) => ((item.expires_at as number) * 1000 - begun) / DAY);
  const results = kept(({ sk }) => sk.startsWith('R#'));
  const histories = [
    kept(({ sk }) => sk.startsWith('TR#')),
    kept(({ pk }) => pk.includes('#FEED#')),
    kept(({ pk }) => pk.includes('#DELIVERIES#')),
  ];
  expect(results).toHaveLength(2);
  for (const days of results) expect(days).toBeGreaterThan(29.99);
  for (const days of results) expect(days).toBeLessThan(30.05);
  for (const history of histories) {
    expect(history).toHaveLength(2);
    for (const days of history) expect(days).toBeGreaterThan(89.99);
    for (const days of history) expect(days).toBeLessThan(90.05);
  }
});
