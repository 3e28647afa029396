import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:30');
});
afterEach(() => night.close());

/** At each time the target does so from then on. */
async function live(story: [time: string, manner: 'answers' | 'fails'][], until: string): Promise<void> {
  for (const [time, manner] of story) {
    await night.until(time);
    night.host('shop.test').does(manner);
  }
  await night.until(until);
}

const DOWN_UP_DOWN: Parameters<typeof live>[0] = [
  ['09:40', 'fails'],
  ['10:00', 'answers'],
  ['10:02', 'fails'],
];

describe('a check that goes down again while the cooldown holds its alert back', () => {
  it('is told as down when the cooldown ends, once', async () => {
    await alertingCheck(night);
    await live(DOWN_UP_DOWN, '11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:00 state_change up', '10:05 catch_up down']);
  });

  it('is told to nobody without catch_up, and its transition says why', async () => {
    const check = await alertingCheck(night, { policy: { catch_up: false } });
    await live(DOWN_UP_DOWN, '11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:00 state_change up']);
    const [last] = await check.read('/transitions');
    expect(last).toMatchObject({ check_to_state: 'down', alert: { decision: 'skipped', reason: 'cooldown' } });
  });

  it('is told when catch_up is switched on, at the end of the cooldown if one runs', async () => {
    const check = await alertingCheck(night, { policy: { catch_up: false, cooldown_seconds: 600 } });
    await live(DOWN_UP_DOWN, '10:05');
    await check.policy({ catch_up: true });
    await night.until('11:00');
    expect(told(night).slice(2)).toEqual(['10:10 catch_up down']);
  });

  it('is told at the end of a cooldown that was made shorter meanwhile', async () => {
    const check = await alertingCheck(night, { policy: { cooldown_seconds: 86_400 } });
    await live(
      [
        ['09:40', 'fails'],
        ['10:00', 'answers'],
      ],
      '10:30',
    );
    expect(told(night)).toEqual(['09:40 state_change down']);
    await check.policy({ cooldown_seconds: 3600 });
    await night.until('12:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:40 catch_up up']);
  });

  it('starts the cooldown anew with what it is told at the end of one', async () => {
    await alertingCheck(night);
    await live([...DOWN_UP_DOWN, ['10:07', 'answers']], '11:00');
    expect(told(night).slice(2)).toEqual(['10:05 catch_up down', '10:10 catch_up up']);
  });

  it('is told like any other when it stays so beyond the cooldown', async () => {
    await alertingCheck(night);
    await live([...DOWN_UP_DOWN, ['10:20', 'answers']], '11:00');
    expect(told(night).slice(2)).toEqual(['10:05 catch_up down', '10:20 state_change up']);
  });
});

describe('channels that believe what is true', () => {
  it.each([true, false])('are told nothing when a cooldown ends (catch_up: %s)', async (catch_up) => {
    await alertingCheck(night, { policy: { catch_up } });
    await live(
      [
        ['10:00', 'fails'],
        ['10:01', 'answers'],
        ['10:02', 'fails'],
      ],
      '13:00',
    );
    expect(told(night)).toEqual(['10:00 state_change down']);
  });

  it('are told nothing of a first success, and all of a first failure', async () => {
    await alertingCheck(night);
    await night.until('09:35');
    expect(told(night)).toEqual([]);
    night.host('other.test').does('fails');
    // Its channel is there before its first probe.
    const other = await alertingCheck(night, { target_url: 'http://other.test/', enabled: false });
    await other.change({ enabled: true });
    await night.until('09:36');
    expect(told(night)).toEqual(['09:35 state_change down']);
  });
});

describe('a silence', () => {
  it('that is lifted during an outage tells of it at once', async () => {
    const check = await alertingCheck(night, { policy: { silenced: true } });
    await live([['09:40', 'fails']], '10:30');
    expect(told(night)).toEqual([]);
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual(['10:30 catch_up down']);
  });

  it('that is lifted while a cooldown runs tells at its end', async () => {
    const check = await alertingCheck(night, { policy: { cooldown_seconds: 3600 } });
    await live([['09:40', 'fails']], '09:50');
    await check.policy({ silenced: true });
    await live([['10:00', 'answers']], '10:10');
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:40 catch_up up']);
  });

  it('that is lifted after all is well again tells nothing', async () => {
    const check = await alertingCheck(night, { policy: { silenced: true } });
    await live(
      [
        ['09:40', 'fails'],
        ['09:50', 'answers'],
      ],
      '10:30',
    );
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual([]);
  });

  it('that is lifted during an outage tells nothing without catch_up', async () => {
    const check = await alertingCheck(night, { policy: { silenced: true, catch_up: false } });
    await live([['09:40', 'fails']], '10:30');
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual([]);
  });

  it('keeps back what a cooldown had put off', async () => {
    const check = await alertingCheck(night);
    await live(DOWN_UP_DOWN, '10:03');
    await check.policy({ silenced: true });
    await night.until('10:30');
    expect(told(night)).toHaveLength(2);
    await check.policy({ silenced: false });
    await night.until('11:00');
    expect(told(night).slice(2)).toEqual(['10:30 catch_up down']);
  });
});

describe('without alerts of recovery', () => {
  it('nobody is ever told up, and the next outage is told', async () => {
    const check = await alertingCheck(night, { policy: { notify_on_recovery: false } });
    await live(
      [
        ['09:40', 'fails'],
        ['10:00', 'answers'],
        ['10:30', 'fails'],
        ['10:31', 'answers'],
      ],
      '11:00',
    );
    await check.policy({ silenced: true });
    await check.policy({ silenced: false });
    await night.until('11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:30 state_change down']);
  });
});

describe('a receiver that is away when a check goes down', () => {
  const pager = () => night.host('pager.test');
  const attempts = () => pager().calls.map(({ at }) => Math.floor((at - Date.parse('2026-11-21T09:40:00Z')) / 60_000));

  it('for ten minutes is told when it is back: after 1, 5 and 15 minutes it is tried', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live([['09:40', 'fails']], '09:50');
    expect(told(night)).toEqual([]);
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:55 catch_up down']);
    expect(attempts()).toEqual([0, 0, 0, 1, 1, 1, 5, 5, 5, 15]);
  });

  it('for half a minute is told after one minute, once', async () => {
    await alertingCheck(night);
    pager().does('fails');
    await live([['09:40', 'fails']], '09:40:40');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:41 catch_up down']);
  });

  it('for ever gets no more than these tries', async () => {
    await alertingCheck(night);
    pager().does('hangs');
    await live([['09:40', 'fails']], '11:00');
    expect(pager().calls).toHaveLength(12);
    const log = await night.call('GET', '/v1/notify/logs');
    expect(log.map((one: { kind: string; status: string }) => `${one.kind} ${one.status}`)).toEqual([
      ...Array(3).fill('catch_up failed'),
      'state_change failed',
    ]);
  });

  it('is told nothing when all is well again by then', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live(
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
    await live([['09:40', 'fails']], '10:00');
    pager().does('refuses');
    await live([['10:00', 'answers']], '10:10');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:15 catch_up up']);
  });

  it('is told nothing late without catch_up', async () => {
    await alertingCheck(night, { policy: { catch_up: false } });
    pager().does('refuses');
    await live([['09:40', 'fails']], '09:50');
    pager().does('answers');
    await night.until('11:00');
    expect(told(night)).toEqual([]);
  });

  it('does not matter as long as another channel was told', async () => {
    const check = await alertingCheck(night);
    const config = { url: 'https://second.test/hook' };
    await night.call('POST', `/v1/checks/${check.id}/policy/channels`, { channel_type: 'webhook', config });
    pager().does('refuses');
    await live([['09:40', 'fails']], '11:00');
    expect(told(night, 'second.test')).toEqual(['09:40 state_change down']);
    expect(pager().calls).toHaveLength(3);
  });

  it('hears the cooldown again once it was told', async () => {
    await alertingCheck(night);
    pager().does('refuses');
    await live([['09:40', 'fails']], '09:40:30');
    pager().does('answers');
    await live([['09:43', 'answers']], '11:00');
    expect(told(night)).toEqual(['09:41 catch_up down', '09:46 catch_up up']);
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
    expect(told(night)).toEqual(['09:40 state_change up', '09:40 state_change down', '09:40 catch_up up']);
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
      '09:40 catch_up up',
    ]);
  });

  it('is left at that without catch_up', async () => {
    await overtaken({ catch_up: false });
    expect(told(night)).toEqual(['09:40 state_change up', '09:40 state_change down']);
  });
});
