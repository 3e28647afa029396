import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hiddenSeconds } from '#infra/topology.ts';
import { alertingCheck, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30', {}, 'many');
});
afterEach(() => service.close());

const arrivals = () => service.host('pager.test').calls.map(({ at }) => at);

describe('an alert on AWS', () => {
  it('is sent within 30 s after an internal error of its deliverer', async () => {
    const check = await alertingCheck(service, { check_type: 'push', interval_seconds: 86_400 });
    let calls = 0;
    service.host('pager.test').does(() => {
      // Not a network error, so that it counts as an internal error.
      if (++calls === 1) throw new Error('no file descriptors left');
      return { status: 200 };
    });
    await check.push(false);
    const fell = service.now();
    await service.pass(35_000);
    expect(service.log.lines.filter(({ message }) => message.includes('will be retried'))).toHaveLength(1);
    expect(calls).toBe(2);
    expect(arrivals().at(-1)! - fell).toBeLessThanOrEqual(30_500);
    expect(await service.call('GET', '/v1/notify/logs')).toMatchObject([{ status: 'sent', attempts: 1 }]);
  });

  it('is sent after Lambda has throttled its function for an hour', async () => {
    const check = await alertingCheck(service, { check_type: 'push', interval_seconds: 86_400 });
    service.throttle(true);
    await check.push(false);
    await service.pass(60 * 60_000);
    expect(arrivals()).toEqual([]);
    expect(await service.call('GET', '/v1/notify/logs')).toMatchObject([{ status: 'pending', attempts: 0 }]);
    service.throttle(false);
    await service.pass(31_000);
    expect(arrivals()).toHaveLength(1);
    expect(await service.call('GET', '/v1/notify/logs')).toMatchObject([{ status: 'sent', attempts: 1 }]);
  });

  it.each(['notify', 'delivery', 'plan'] as const)(
    'is hidden in the queue %s for at most half a minute after a failure',
    (queue) => {
      expect(hiddenSeconds(queue)).toBeLessThanOrEqual(30);
    },
  );
});
