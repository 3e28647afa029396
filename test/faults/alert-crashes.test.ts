import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueName } from '#lib/messages.ts';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:30');
});
afterEach(() => night.close());

/** The service dies the first time that it wants to send to this queue from now on. */
function dieSending(queue: QueueName): void {
  let dead = false;
  night.fatal.send = (name) => {
    if (dead || name !== queue) return false;
    dead = true;
    return true;
  };
}

/** The service dies when the receiver has taken an alert, before it hears of that. */
function dieOnceTaken(): void {
  let dead = false;
  night.fatal.call = (host) => {
    if (dead || host !== 'pager.test') return false;
    dead = true;
    return true;
  };
}

const ids = () => new Set(night.host('pager.test').calls.map(({ headers }) => headers['X-Service-Delivery']));
const logged = async () =>
  (await night.call('GET', '/v1/notify/logs')).map((one: { kind: string; status: string }) => [one.kind, one.status]);

async function downAt0940(policy: object = {}) {
  const check = await alertingCheck(night, { check_type: 'push', interval_seconds: 86_400, policy });
  await night.until('09:40');
  return check;
}

describe('a crash', () => {
  it('between a transition and its deliveries delays the alert', async () => {
    const check = await downAt0940();
    dieSending('delivery');
    await check.push(false);
    await night.until('09:45');
    expect(told(night)).toEqual(['09:40 state_change down']);
    expect(await logged()).toEqual([['state_change', 'sent']]);
  });

  it('between sending and recording sends again, under the same delivery id', async () => {
    const check = await downAt0940();
    dieOnceTaken();
    await check.push(false);
    await night.until('09:45');
    expect(told(night)).toEqual(Array(2).fill('09:40 state_change down'));
    expect(ids().size).toBe(1);
    expect(await logged()).toEqual([['state_change', 'sent']]);
  });

  it('between making a repeat and handing it over delays the repeat, and keeps the rhythm', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 600 });
    await check.push(false);
    await night.until('09:49');
    dieSending('delivery');
    await night.until('10:05');
    expect(told(night)).toHaveLength(3);
    expect(told(night)[1]).toMatch(/^09:5[012] repeat down$/);
    expect(told(night)[2]).toBe('10:00 reminder down');
  });

  it('between making a catch-up and handing it over delays the catch-up', async () => {
    const check = await downAt0940();
    await check.push(false);
    await check.push(true);
    await night.until('09:44');
    dieSending('delivery');
    await night.until('10:00');
    expect(told(night)).toHaveLength(2);
    expect(told(night)[1]).toMatch(/^09:4[567] late_alerts up$/);
    expect(await logged()).toEqual([
      ['late', 'sent'],
      ['state_change', 'sent'],
    ]);
  });

  it('between a change that a cooldown holds back and its deadline loses no catch-up', async () => {
    const check = await downAt0940({ cooldown_seconds: 120 });
    await check.push(false);
    // By then its alert has been taken and recorded: the crash meets nothing but the deadline.
    await night.until('09:40:30');
    dieSending('deadline');
    await expect(check.push(true)).rejects.toThrow('undefined');
    await night.until('10:00');
    expect(told(night)).toEqual(['09:40 state_change down', '09:42 late up']);
  });

  it('between the failure of an alert and its follow-up loses no catch-up', async () => {
    const check = await downAt0940();
    night.host('pager.test').does('refuses');
    dieSending('deadline');
    await check.push(false);
    await night.until('09:41');
    night.host('pager.test').does('answers');
    await night.until('10:00');
    expect(told(night)).toEqual(['09:41 late down']);
  });
});
