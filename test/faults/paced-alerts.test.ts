import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

const MINUTE = 60_000;

/**
 * Makes a host accept one request a second, and return 429 with Retry-After: 1 to others.
 * @returns delivery ids of the accepted requests
 */
function acceptOneASecond(name: string) {
  const taken: string[] = [];
  let free = 0;
  service.host(name).does(({ at, headers }) => {
    if (at < free) return { status: 429, headers: { 'retry-after': '1' } };
    free = at + 1000;
    taken.push(headers['X-Service-Delivery']!);
    return { status: 200 };
  });
  return taken;
}

async function wholeLog(): Promise<DeliveryRecord[]> {
  return service.call('GET', '/v1/notify/logs?limit=1000');
}

/** Creates push checks that all alert the same Slack URL. */
async function fleet(count: number) {
  const checks: Awaited<ReturnType<typeof alertingCheck>>[] = [];
  for (let i = 0; i < count; i++)
    checks.push(
      await alertingCheck(service, {
        check_type: 'push',
        interval_seconds: 86_400,
        channel_type: 'slack',
        receiver: 'slack.test',
      }),
    );
  return checks;
}

describe('sixty alerts at once to one URL', () => {
  it('arrive once each at a receiver that accepts one a second, with logged attempts and without flooding it', async () => {
    const checks = await fleet(60);
    const taken = acceptOneASecond('slack.test');
    const failure = { success: false, latency_ms: 5 };
    await service.callAtOnce(checks.map(({ id }) => ['POST', `/v1/checks/${id}/results`, failure]));
    const failedAt = service.now();
    await service.pass(8 * MINUTE);

    expect(new Set(taken).size).toBe(60);
    expect(taken).toHaveLength(60);
    const log = await wholeLog();
    expect(log).toHaveLength(60);
    for (const delivery of log) expect(delivery).toMatchObject({ status: 'sent', attempts: 1, error: '' });
    const { calls } = service.host('slack.test');
    // Each is rejected at most once, at the beginning, before the limit is known; then they are sent one at a time.
    expect(calls.length).toBeLessThanOrEqual(2 * 60 + 10);
    const later = calls.filter(({ at }) => at > failedAt + 10_000);
    for (const [i, { at }] of later.entries()) {
      if (i > 0) expect(at - later[i - 1]!.at).toBeGreaterThanOrEqual(990);
    }
    expect(await service.call('GET', '/v1/health')).toMatchObject({
      deliveries: { oldest_unsent_at: null, last_failure_at: null },
    });
  });
});

describe('a receiver that returns 429', () => {
  it('gets the alert after five minutes, and the rejections do not count as attempts', async () => {
    const [check] = await fleet(1);
    service.host('slack.test').does(() => ({ status: 429, headers: { 'retry-after': '20' } }));
    await check!.push(false);
    await service.pass(5 * MINUTE);
    const [waiting] = await wholeLog();
    expect(waiting).toMatchObject({ status: 'retrying', attempts: 0, error: expect.stringContaining('429') });
    expect(service.host('slack.test').calls.length).toBeLessThanOrEqual(16);
    // The delivery waits for its receiver, not for the service.
    const health = await service.call('GET', '/v1/health');
    expect(health.deliveries).toMatchObject({ ok: true, oldest_unsent_at: null });
    service.host('slack.test').does('answers');
    await service.pass(MINUTE);
    expect((await wholeLog())[0]).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('makes a delivery fail visibly after more than an hour', async () => {
    const check = await alertingCheck(service, {
      check_type: 'push',
      receiver: 'slack.test',
      policy: { late_alerts: false },
    });
    service.host('slack.test').does(() => ({ status: 429, headers: { 'retry-after': '3600' } }));
    await check.push(false);
    await service.pass(59 * MINUTE);
    expect((await wholeLog())[0]).toMatchObject({ status: 'retrying', attempts: 0 });
    await service.pass(5 * MINUTE);
    const [failed] = await wholeLog();
    expect(failed).toMatchObject({ status: 'failed', attempts: 3 });
    const { deliveries } = await service.call('GET', '/v1/health');
    expect(deliveries.oldest_unsent_at).toBe(null);
    expect(Date.parse(deliveries.last_failure_at) - Date.parse(failed!.updated_at)).toBeLessThan(1000);
    expect(service.host('slack.test').calls.length).toBeLessThanOrEqual(64);
  });

  it('does not delay other URLs', async () => {
    const slow = await fleet(1);
    const quick = await alertingCheck(service, { check_type: 'push', receiver: 'other.test' });
    service.host('slack.test').does(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    await slow[0]!.push(false);
    await quick.push(false);
    await service.pass(1000);
    expect(service.host('other.test').calls.map(({ status }) => status)).toEqual([200]);
  });
});
