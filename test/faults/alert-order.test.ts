import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { live } from './story.ts';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:30');
});
afterEach(() => night.close());

describe('a receiver that is away when a check goes down', () => {
  const pager = () => night.host('pager.test');
  const attempts = () => pager().calls.map(({ at }) => Math.floor((at - Date.parse('2026-11-21T09:40:00Z')) / 60_000));

  it('for ten minutes is told when it is back: after 1, 5 and 15 minutes it is tried', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live(night, [['09:40', 'fails']], '09:50');
    expect(told(night)).toEqual([]);
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:55 late down']);
    expect(attempts()).toEqual([0, 0, 0, 1, 1, 1, 5, 5, 5, 15]);
  });

  it('for half a minute is told after one minute, once', async () => {
    await alertingCheck(night);
    pager().does('fails');
    await live(night, [['09:40', 'fails']], '09:40:40');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:41 late down']);
  });

  it('for ever gets no more than these tries', async () => {
    await alertingCheck(night);
    pager().does('hangs');
    await live(night, [['09:40', 'fails']], '11:00');
    expect(pager().calls).toHaveLength(12);
    const log = await night.call('GET', '/v1/notify/logs');
    expect(log.map((one: { kind: string; status: string }) => `${one.kind} ${one.status}`)).toEqual([
      ...Array(3).fill('late failed'),
      'state_change failed',
    ]);
  });

  it('is told nothing when all is well again by then', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live(
      night,
      [
        ['09:40', 'fails'],
        ['09:43', 'answers'],
      ],
      '09:50',
    );
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual([]);
  });

  it('is told of a recovery that it missed', async () => {
    await alertingCheck(night);
    await live(night, [['09:40', 'fails']], '10:00');
    pager().does('refuses');
    await live(night, [['10:00', 'answers']], '10:10');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:15 late up']);
  });

  it('is told nothing late without late_alerts', async () => {
    await alertingCheck(night, { policy: { late_alerts: false } });
    pager().does('refuses');
    await live(night, [['09:40', 'fails']], '09:50');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual([]);
  });

  it('does not matter as long as another channel was told', async () => {
    const check = await alertingCheck(night);
    const config = { url: 'https://second.test/hook' };
    await night.call('POST', `/v1/checks/${check.id}/policy/channels`, { channel_type: 'webhook', config });
    pager().does('refuses');
    await live(night, [['09:40', 'fails']], '11:00');
    expect(told(night, 'second.test')).toEqual(['09:40 state_change down']);
    expect(pager().calls).toHaveLength(3);
  });

  it('hears the cooldown again once it was told', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live(night, [['09:40', 'fails']], '09:40:30');
    pager().does('answers');
    await live(night, [['09:43', 'answers']], '11:00');
    expect(told(night)).toEqual(['09:41 late down', '09:46 late up']);
  });
});

describe('a delivery that goes out after a newer one', () => {
  /**
   * Down and, a second later, up; the alert of the first is taken at its third attempt, three seconds later.
   * @param test when somebody tests the channel, and what the receiver says to that
   */
  async function overtaken(policy: object, test?: { at: string; status: number }): Promise<void> {
    const check = await alertingCheck(night, { check_type: 'push', policy: { cooldown_seconds: 0, ...policy } });
    const { channels } = await check.read('/policy');
    const testing = async () => {
      await night.until(test!.at);
      await night.call('POST', `/v1/checks/${check.id}/policy/channels/${channels[0].id}/test`);
    };
    let refused = 0;
    night.host('pager.test').does(({ body, headers }) => {
      if (headers['X-Service-Kind'] === 'test') return { status: test!.status };
      const isDown = JSON.parse(body).check_to_state === 'down';
      return { status: isDown && refused++ < 2 ? 503 : 200 };
    });
    await night.until('09:40');
    await check.push(false);
    if (test && test.at < '09:40:01') await testing();
    await night.until('09:40:01');
    await check.push(true);
    if (test && test.at > '09:40:01') await testing();
    await night.until('09:41');
  }

  it('is followed by the truth', async () => {
    await overtaken({});
    expect(told(night)).toEqual(['09:40 state_change up', '09:40 state_change down', '09:40 late up']);
  });

  it.each([
    ['and a test between them', { at: '09:40:02', status: 200 }],
    ['and a test between them that fails', { at: '09:40:02', status: 500 }],
    ['and a test before both', { at: '09:40:00', status: 200 }],
  ])('%s is followed by the truth all the same', async (_, test) => {
    await overtaken({}, test);
    expect(told(night).filter((one) => !one.includes('test'))).toEqual([
      '09:40 state_change up',
      '09:40 state_change down',
      '09:40 late up',
    ]);
  });

  it('is left at that without late_alerts', async () => {
    await overtaken({ late_alerts: false });
    expect(told(night)).toEqual(['09:40 state_change up', '09:40 state_change down']);
  });
});
