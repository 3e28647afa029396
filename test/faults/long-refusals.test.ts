import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:00');
});
afterEach(() => night.close());

/** From 09:10 on the target changes each six minutes, so often; the receiver asks everybody to wait until then. */
async function refusing(changes: number, until: string): Promise<void> {
  night.host('pager.test').does(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  for (let i = 0; i < changes; i++) {
    await night.until(`09:${10 + 6 * i}`);
    night.host('shop.test').does(i % 2 === 0 ? 'fails' : 'answers');
  }
  await night.until(until);
  night.host('pager.test').does('answers');
}

describe('a receiver that answers 429 for hours, beyond the patience of each alert', () => {
  it.each([1, 3, 5, 7])('is told that the check is down when it is back, after %i changes', async (changes) => {
    await alertingCheck(night);
    await refusing(changes, '11:20');
    await night.until('15:00');
    expect(told(night)).toEqual([expect.stringMatching(/^11:\d\d late_alerts down$/)]);
  });

  it('is told as well when the try after the first failure was refused until it failed itself', async () => {
    await alertingCheck(night);
    await refusing(1, '12:00');
    await night.until('15:00');
    expect(told(night)).toEqual([expect.stringMatching(/^12:\d\d late_alerts down$/)]);
  });

  it.each([2, 6])('is told nothing that differs from what is, after %i changes', async (changes) => {
    await alertingCheck(night);
    await refusing(changes, '11:20');
    await night.until('15:00');
    expect(told(night).filter((line) => line.endsWith('down'))).toEqual([]);
  });
});

describe('a receiver that is away twice', () => {
  it('is told of what it missed the second time within a minute or so, cooldown or not', async () => {
    await alertingCheck(night, { policy: { cooldown_seconds: 200 } });
    const pager = night.host('pager.test');
    const shop = night.host('shop.test');
    pager.does('refuses');
    await night.until('09:40');
    shop.does('fails');
    await night.until('09:40:30');
    pager.does('answers');
    await night.until('09:44:25');
    pager.does('refuses');
    shop.does('answers');
    await night.until('09:44:45');
    pager.does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:41 late down', '09:45 late up']);
  });
});
