import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:00');
});
afterEach(() => service.close());

/** Changes the target every six minutes from 09:10 on, while the receiver returns 429 until `until`. */
async function refusing(changes: number, until: string): Promise<void> {
  service.host('pager.test').does(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  for (let i = 0; i < changes; i++) {
    await service.until(`09:${10 + 6 * i}`);
    service.host('shop.test').does(i % 2 === 0 ? 'fails' : 'answers');
  }
  await service.until(until);
  service.host('pager.test').does('answers');
}

describe('a receiver that returns 429 for hours, longer than each alert is retried', () => {
  it.each([1, 3, 5, 7])('gets an alert for down when it is available again, after %i changes', async (changes) => {
    await alertingCheck(service);
    await refusing(changes, '11:20');
    await service.until('15:00');
    expect(alertsAt(service)).toEqual([expect.stringMatching(/^11:\d\d late down$/)]);
  });

  it('is notified even if the first late alert fails too', async () => {
    await alertingCheck(service);
    await refusing(1, '12:00');
    await service.until('15:00');
    expect(alertsAt(service)).toEqual([expect.stringMatching(/^12:\d\d late down$/)]);
  });

  it.each([2, 6])('is not notified of an outdated state, after %i changes', async (changes) => {
    await alertingCheck(service);
    await refusing(changes, '11:20');
    await service.until('15:00');
    expect(alertsAt(service).filter((line) => line.endsWith('down'))).toEqual([]);
  });
});

describe('a receiver that is unavailable twice', () => {
  it('gets what it missed the second time within about a minute, whatever the cooldown', async () => {
    await alertingCheck(service, { policy: { cooldown_seconds: 200 } });
    const pager = service.host('pager.test');
    const shop = service.host('shop.test');
    pager.does('refuses');
    await service.until('09:40');
    shop.does('fails');
    await service.until('09:40:30');
    pager.does('answers');
    await service.until('09:44:25');
    pager.does('refuses');
    shop.does('answers');
    await service.until('09:44:45');
    pager.does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:41 late down', '09:45 late up']);
  });
});
