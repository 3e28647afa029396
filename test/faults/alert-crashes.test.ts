import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueName } from '#lib/messages.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

/** Lets the service crash the next time that it sends to this queue. */
function dieSending(queue: QueueName): void {
  let dead = false;
  service.fatal.send = (name) => {
    if (dead || name !== queue) return false;
    dead = true;
    return true;
  };
}

/** Lets the service crash after the receiver accepted an alert, before the response. */
function dieOnceAccepted(): void {
  let dead = false;
  service.fatal.call = (host) => {
    if (dead || host !== 'pager.test') return false;
    dead = true;
    return true;
  };
}

const ids = () => new Set(service.host('pager.test').calls.map(({ headers }) => headers['X-Service-Delivery']));
const logged = async () =>
  (await service.call('GET', '/v1/notify/logs')).map((one: { kind: string; status: string }) => [one.kind, one.status]);

async function downAt0940(policy: object = {}) {
  const check = await alertingCheck(service, { check_type: 'push', interval_seconds: 86_400, policy });
  await service.until('09:40');
  return check;
}

describe('a crash', () => {
  it('delays the alert if it occurs between a transition and its deliveries', async () => {
    const check = await downAt0940();
    dieSending('delivery');
    await check.push(false);
    await service.until('09:45');
    expect(alertsAt(service)).toEqual(['09:40 state_change down']);
    expect(await logged()).toEqual([['state_change', 'sent']]);
  });

  it('causes a repetition with the same delivery id if it occurs between sending and recording', async () => {
    const check = await downAt0940();
    dieOnceAccepted();
    await check.push(false);
    await service.until('09:45');
    expect(alertsAt(service)).toEqual(Array(2).fill('09:40 state_change down'));
    expect(ids().size).toBe(1);
    expect(await logged()).toEqual([['state_change', 'sent']]);
  });

  it('delays a reminder and keeps its interval if it occurs between creation and sending', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 600 });
    await check.push(false);
    await service.until('09:49');
    dieSending('delivery');
    await service.until('10:05');
    expect(alertsAt(service)).toHaveLength(3);
    expect(alertsAt(service)[1]).toMatch(/^09:5[012] reminder down$/);
    expect(alertsAt(service)[2]).toBe('10:00 reminder down');
  });

  it('delays a late alert if it occurs between creation and sending', async () => {
    const check = await downAt0940();
    await check.push(false);
    await check.push(true);
    await service.until('09:44');
    dieSending('delivery');
    await service.until('10:00');
    expect(alertsAt(service)).toHaveLength(2);
    expect(alertsAt(service)[1]).toMatch(/^09:4[567] late up$/);
    expect(await logged()).toEqual([
      ['late', 'sent'],
      ['state_change', 'sent'],
    ]);
  });

  it('loses no late alert if it occurs between a suppressed change and its deadline', async () => {
    const check = await downAt0940({ cooldown_seconds: 120 });
    await check.push(false);
    // The alert has been accepted and recorded by then: the crash affects only the deadline.
    await service.until('09:40:30');
    dieSending('deadline');
    await expect(check.push(true)).rejects.toThrow('undefined');
    await service.until('10:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '09:42 late up']);
  });

  it('loses no late alert if it occurs between a failed alert and its follow-up', async () => {
    const check = await downAt0940();
    service.host('pager.test').does('refuses');
    dieSending('deadline');
    await check.push(false);
    await service.until('09:41');
    service.host('pager.test').does('answers');
    await service.until('10:00');
    expect(alertsAt(service)).toEqual(['09:41 late down']);
  });
});
