import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playStory } from './story.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

describe('a receiver that is unavailable at a state change', () => {
  const pager = () => service.host('pager.test');
  const attempts = () => pager().calls.map(({ at }) => Math.floor((at - Date.parse('2026-11-21T09:40:00Z')) / 60_000));

  it('gets the alert at the retry after 15 minutes if it is unavailable for ten', async () => {
    await alertingCheck(service);
    pager().does('refuses');
    await playStory(service, [['09:40', 'fails']], '09:50');
    expect(alertsAt(service)).toEqual([]);
    pager().does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:55 late down']);
    expect(attempts()).toEqual([0, 0, 0, 1, 1, 1, 5, 5, 5, 15]);
  });

  it('gets the alert once, at the first retry, if it is unavailable for under a minute', async () => {
    await alertingCheck(service);
    pager().does('fails');
    await playStory(service, [['09:40', 'fails']], '09:40:40');
    pager().does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:41 late down']);
  });

  it('gets only retries after 1, 5 and 15 minutes if it stays unavailable', async () => {
    await alertingCheck(service);
    pager().does('hangs');
    await playStory(service, [['09:40', 'fails']], '11:00');
    expect(pager().calls).toHaveLength(12);
    const log = await service.call('GET', '/v1/notify/logs');
    expect(log.map((one: { kind: string; status: string }) => `${one.kind} ${one.status}`)).toEqual([
      ...Array(3).fill('late failed'),
      'state_change failed',
    ]);
  });

  it('gets nothing if the check recovers before the receiver is available', async () => {
    await alertingCheck(service);
    pager().does('refuses');
    await playStory(
      service,
      [
        ['09:40', 'fails'],
        ['09:43', 'answers'],
      ],
      '09:50',
    );
    pager().does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual([]);
  });

  it('gets a recovery that it missed', async () => {
    await alertingCheck(service);
    await playStory(service, [['09:40', 'fails']], '10:00');
    pager().does('refuses');
    await playStory(service, [['10:00', 'answers']], '10:10');
    pager().does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:15 late up']);
  });

  it('gets nothing late without late_alerts', async () => {
    await alertingCheck(service, { policy: { late_alerts: false } });
    pager().does('refuses');
    await playStory(service, [['09:40', 'fails']], '09:50');
    pager().does('answers');
    await service.until('11:00');
    expect(alertsAt(service)).toEqual([]);
  });

  it('gets no late alert if another channel was notified', async () => {
    const check = await alertingCheck(service);
    const config = { url: 'https://second.test/hook' };
    await service.call('POST', `/v1/checks/${check.id}/policy/channels`, { channel_type: 'webhook', config });
    pager().does('refuses');
    await playStory(service, [['09:40', 'fails']], '11:00');
    expect(alertsAt(service, 'second.test')).toEqual(['09:40 state_change down']);
    expect(pager().calls).toHaveLength(3);
  });

  it('gets the next alert only after the cooldown of the late alert', async () => {
    await alertingCheck(service);
    pager().does('refuses');
    await playStory(service, [['09:40', 'fails']], '09:40:30');
    pager().does('answers');
    await playStory(service, [['09:43', 'answers']], '11:00');
    expect(alertsAt(service)).toEqual(['09:41 late down', '09:46 late up']);
  });
});

describe('a delivery that arrives after a newer one', () => {
  /**
   * Makes a check go down and, a second later, up. The first alert is accepted only at its third attempt, after the
   * second alert.
   * @param test time of a channel test, and the response of the receiver
   */
  async function overtaken(policy: object, test?: { at: string; status: number }): Promise<void> {
    const check = await alertingCheck(service, { check_type: 'push', policy: { cooldown_seconds: 0, ...policy } });
    const { channels } = await check.read('/policy');
    const testing = async () => {
      await service.until(test!.at);
      await service.call('POST', `/v1/checks/${check.id}/policy/channels/${channels[0].id}/test`);
    };
    let refused = 0;
    service.host('pager.test').does(({ body, headers }) => {
      if (headers['X-Service-Kind'] === 'test') return { status: test!.status };
      const isDown = JSON.parse(body).check_to_state === 'down';
      return { status: isDown && refused++ < 2 ? 503 : 200 };
    });
    await service.until('09:40');
    await check.push(false);
    if (test && test.at < '09:40:01') await testing();
    await service.until('09:40:01');
    await check.push(true);
    if (test && test.at > '09:40:01') await testing();
    await service.until('09:41');
  }

  it('is followed by the current state', async () => {
    await overtaken({});
    expect(alertsAt(service)).toEqual(['09:40 state_change up', '09:40 state_change down', '09:40 late up']);
  });

  it.each([
    ['after a test in between', { at: '09:40:02', status: 200 }],
    ['after a failed test in between', { at: '09:40:02', status: 500 }],
    ['after a test before both', { at: '09:40:00', status: 200 }],
  ])('is followed by the current state %s', async (_, test) => {
    await overtaken({}, test);
    expect(alertsAt(service).filter((one) => !one.includes('test'))).toEqual([
      '09:40 state_change up',
      '09:40 state_change down',
      '09:40 late up',
    ]);
  });

  it('is not corrected without late_alerts', async () => {
    await overtaken({ late_alerts: false });
    expect(alertsAt(service)).toEqual(['09:40 state_change up', '09:40 state_change down']);
  });

  describe('of a check that was disabled', () => {
    /** Makes a check go down and disables it. "down" is accepted at its third attempt, after the closing alert. */
    async function closedFirst() {
      const check = await alertingCheck(service, { check_type: 'push', policy: { cooldown_seconds: 0 } });
      let refused = 0;
      service.host('pager.test').does(({ headers }) => ({
        status: headers['X-Service-Kind'] === 'state_change' && refused++ < 2 ? 503 : 200,
      }));
      await service.until('09:40');
      await check.push(false);
      await service.pass(100);
      await check.change({ enabled: false });
      return check;
    }

    it('is followed by another closing alert', async () => {
      await closedFirst();
      await service.until('09:41');
      expect(alertsAt(service)).toEqual(['09:40 closed unknown', '09:40 state_change down', '09:40 closed unknown']);
    });

    it.each([true, false])(
      'is followed by the first state after the check is enabled, success: %s',
      async (success) => {
        const check = await closedFirst();
        await service.pass(500);
        await check.change({ enabled: true });
        await service.until('09:40:10');
        await check.push(success);
        await service.until('09:41');
        expect(alertsAt(service)).toEqual([
          '09:40 closed unknown',
          '09:40 state_change down',
          `09:40 state_change ${success ? 'up' : 'down'}`,
        ]);
      },
    );
  });

  it('is followed by another closing alert if the check was deleted', async () => {
    const check = await alertingCheck(service, { check_type: 'push' });
    service.host('pager.test').does(async ({ headers }) => {
      if (headers['X-Service-Kind'] === 'state_change') await service.sleep(3_000);
      return { status: 200 };
    });
    await service.until('09:40');
    await check.push(false);
    await service.until('09:40:01');
    await check.remove();
    await service.until('09:41');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '09:40 closed unknown', '09:40 closed unknown']);
  });
});
