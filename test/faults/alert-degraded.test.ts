import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { iso } from '#lib/platform/time.ts';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

type Push = 'ok' | 'slow' | 'fails';

/** Creates a shop with a scripted agent. It is degraded or down at the second bad report in a row. */
async function shop(policy: object, more: object = {}) {
  const settings = { check_type: 'push', interval_seconds: 86_400, name: 'shop', failure_threshold: 2, ...more };
  const check = await alertingCheck(service, { ...settings, channel_type: 'slack', policy });
  return {
    ...check,
    /** Sends reports at given times of day, and lets time pass until `until`. */
    lives: async (reports: [time: string, push: Push][], until: string): Promise<void> => {
      for (const [time, push] of reports) {
        await service.until(time);
        await check.push(push !== 'fails', push === 'slow' ? '912 ms' : '');
      }
      await service.until(until);
    },
    /** Returns its states, oldest first, with the reason of each change without an alert. */
    changes: async (): Promise<string[]> => {
      const transitions = await check.read('/transitions');
      return transitions
        .map(
          ({ check_to_state, alert }: { check_to_state: string; alert: { reason: string | null } }) =>
            `${check_to_state} ${alert.reason ?? 'notified'}`,
        )
        .reverse();
    },
  };
}

/** Returns messages such as `09:41 :red_circle: shop is down`. Rounds durations, because a request takes some ms. */
const messages = (): string[] =>
  service.host('pager.test').calls.map(({ at, body }) => {
    const text: string = JSON.parse(body).text.replace('Entity 1: ', '');
    return `${iso(at).slice(11, 16)} ${text.replace(/(?:(\d+) min )?59 s/, (_, min = 0) => `${Number(min) + 1} min`)}`;
  });

const SLOW_SHOP: [string, Push][] = [
  ['09:31', 'ok'],
  ['09:40', 'slow'],
  ['09:41', 'slow'],
  ['09:42', 'fails'],
  ['09:43', 'fails'],
  ['09:44', 'slow'],
  ['10:00', 'ok'],
];

describe('a shop that becomes slow, fails, is slow again, and recovers', () => {
  it('is reported as degraded, as down during the cooldown, as degraded again, and as up', async () => {
    const check = await shop({ cooldown_seconds: 300 });
    await check.lives(SLOW_SHOP, '11:00');
    expect(messages()).toEqual([
      '09:41 :large_yellow_circle: shop is degraded',
      '09:43 :red_circle: shop is down',
      '09:48 :large_yellow_circle: shop has been degraded for 4 min',
      '10:00 :large_green_circle: shop is up again after 16 min degraded',
    ]);
    expect(await check.changes()).toEqual([
      'up initial',
      'degraded notified',
      'down notified',
      'degraded cooldown',
      'up notified',
    ]);
  });

  it('is reported only as down and up when degraded alerts are disabled', async () => {
    const check = await shop({ cooldown_seconds: 0, notify_on_degraded: false });
    await check.lives(SLOW_SHOP, '11:00');
    expect(messages()).toEqual([
      '09:43 :red_circle: shop is down',
      '09:44 :large_green_circle: shop is up again after 2 min',
    ]);
    expect(await check.changes()).toEqual([
      'up initial',
      'degraded degraded_disabled',
      'down notified',
      'degraded notified',
      'up degraded_disabled',
    ]);
  });

  it('is reported when degraded alerts are enabled or disabled later', async () => {
    const check = await shop({ cooldown_seconds: 0, notify_on_degraded: false });
    await check.lives(SLOW_SHOP.slice(0, 3), '09:50');
    expect(messages()).toEqual([]);
    await check.policy({ notify_on_degraded: true });
    await service.until('09:55');
    await check.policy({ notify_on_degraded: false });
    await service.until('10:00');
    expect(messages()).toEqual([
      '09:50 :large_yellow_circle: shop has been degraded for 9 min',
      '09:55 :large_green_circle: shop is up',
    ]);
  });

  it('sends no alert about an acknowledgement after degraded alerts are disabled', async () => {
    const check = await shop({ cooldown_seconds: 0, late_alerts: false });
    await check.lives(SLOW_SHOP.slice(0, 6), '09:50');
    await check.policy({ notify_on_degraded: false });
    await service.until('09:55');
    const before = messages();
    await service.call('POST', `/v1/checks/${check.id}/acknowledge`, {});
    await service.until('09:59');
    expect(messages()).toEqual(before);
  });

  it('gets a closing alert when it is disabled while degraded', async () => {
    const check = await shop({ cooldown_seconds: 0 });
    await check.lives(SLOW_SHOP.slice(0, 3), '09:50');
    await check.change({ enabled: false });
    await service.until('10:00');
    expect(messages().at(-1)).toBe('09:50 :white_circle: shop was disabled while degraded');
  });
});

it('reports a check as up at its third success in a row, and ends its outage at the first', async () => {
  const check = await shop({ cooldown_seconds: 0 }, { recovery_threshold: 3 });
  await check.lives(
    [
      ['09:31', 'ok'],
      ['09:40', 'fails'],
      ['09:41', 'fails'],
      ['09:42', 'ok'],
      ['09:43', 'fails'],
      ['09:44', 'ok'],
      ['09:45', 'ok'],
    ],
    '09:46',
  );
  expect(await check.read()).toMatchObject({ state: 'down', consecutive_failures: 2, consecutive_successes: 2 });
  await check.lives([['09:46', 'ok']], '10:00');
  expect(messages()).toEqual([
    '09:41 :red_circle: shop is down',
    '09:46 :large_green_circle: shop is up again after 6 min',
  ]);
  const { buckets } = await service.call('GET', `/v1/checks/${check.id}/history?bucket=hour&from=2026-11-21T09:00:00Z`);
  // Down from 09:40, its first failure, to 09:44, the first success.
  expect(buckets[0].seconds.down).toBeGreaterThan(235);
  expect(buckets[0].seconds.down).toBeLessThan(245);
});

describe('a check that flaps', () => {
  const FLAPS: [string, Push][] = [
    ['09:31', 'ok'],
    ['09:40', 'fails'],
    ['09:45', 'ok'],
    ['09:50', 'fails'],
    ['09:55', 'ok'],
    ['10:00', 'fails'],
  ];
  const policy = { cooldown_seconds: 0, flap_threshold: 4, flap_window_seconds: 3600 };
  const notes = () =>
    service.host('pager.test').calls.map(({ body }) => JSON.parse(body).blocks.at(-1).elements?.[0].text);

  it('is reported as flapping once, and then after a quarter of the window in one state', async () => {
    const check = await shop(policy, { failure_threshold: 1 });
    await check.lives(FLAPS, '10:01');
    expect((await check.read()).flapping_since.slice(11, 16)).toBe('09:55');
    await service.until('11:00');
    expect(messages()).toEqual([
      '09:40 :red_circle: shop is down',
      '09:45 :large_green_circle: shop is up again after 5 min',
      '09:50 :red_circle: shop is down',
      '09:55 :large_green_circle: shop is up again after 5 min',
      '10:15 :red_circle: shop has been down for 15 min',
    ]);
    // A push can take slightly longer than the next one.
    expect(notes()[3]).toMatch(
      /^Flapping: 4 changes in (15 min|14 min 59 s)\. Next alert after 15 min in one state\.$/,
    );
    expect((await check.changes()).slice(-2)).toEqual(['up notified', 'down flapping']);
    expect((await check.read()).flapping_since).toBeNull();
  });

  it('is reported after it stops flapping, even if its state is the last notified one', async () => {
    const check = await shop(policy, { failure_threshold: 1 });
    await check.lives(FLAPS.slice(0, -1), '10:05');
    await check.lives(
      [
        ['10:05', 'fails'],
        ['10:06', 'ok'],
      ],
      '11:00',
    );
    expect(messages().slice(4)).toEqual(['10:21 :large_green_circle: shop is up again after 1 min']);
  });

  it('is reported normally after flap detection is disabled', async () => {
    const check = await shop(policy, { failure_threshold: 1 });
    await check.lives(FLAPS, '10:02');
    await check.policy({ flap_threshold: 0 });
    await check.lives(
      [
        ['10:05', 'ok'],
        ['10:06', 'fails'],
      ],
      '10:10',
    );
    expect(messages().slice(4)).toEqual([
      '10:02 :red_circle: shop has been down for 2 min',
      '10:05 :large_green_circle: shop is up again after 5 min',
      '10:06 :red_circle: shop is down',
    ]);
  });
});
