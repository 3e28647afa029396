import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { live, type Story } from './story.ts';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:30');
});
afterEach(() => night.close());

const DOWN_UP_DOWN: Story = [
  ['09:40', 'fails'],
  ['10:00', 'answers'],
  ['10:02', 'fails'],
];

describe('a check that goes down again while the cooldown holds its alert back', () => {
  it('is told as down when the cooldown ends, once', async () => {
    await alertingCheck(night);
    await live(night, DOWN_UP_DOWN, '11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:00 state_change up', '10:05 late down']);
  });

  it('is told to nobody without late_alerts, and its transition says why', async () => {
    const check = await alertingCheck(night, { policy: { late_alerts: false } });
    await live(night, DOWN_UP_DOWN, '11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:00 state_change up']);
    const [last] = await check.read('/transitions');
    expect(last).toMatchObject({ check_to_state: 'down', alert: { decision: 'skipped', reason: 'cooldown' } });
  });

  it('is told when late_alerts is switched on, at the end of the cooldown if one runs', async () => {
    const check = await alertingCheck(night, { policy: { late_alerts: false, cooldown_seconds: 600 } });
    await live(night, DOWN_UP_DOWN, '10:05');
    await check.policy({ late_alerts: true });
    await night.until('11:00');
    expect(told(night).slice(2)).toEqual(['10:10 late down']);
  });

  it('is told at the end of a cooldown that was made shorter meanwhile', async () => {
    const check = await alertingCheck(night, { policy: { cooldown_seconds: 86_400 } });
    await live(
      night,
      [
        ['09:40', 'fails'],
        ['10:00', 'answers'],
      ],
      '10:30',
    );
    expect(told(night)).toEqual(['09:40 state_change down']);
    await check.policy({ cooldown_seconds: 3600 });
    await night.until('12:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:40 late up']);
  });

  it('starts the cooldown anew with what it is told at the end of one', async () => {
    await alertingCheck(night);
    await live(night, [...DOWN_UP_DOWN, ['10:07', 'answers']], '11:00');
    expect(told(night).slice(2)).toEqual(['10:05 late down', '10:10 late up']);
  });

  it('is told like any other when it stays so beyond the cooldown', async () => {
    await alertingCheck(night);
    await live(night, [...DOWN_UP_DOWN, ['10:20', 'answers']], '11:00');
    expect(told(night).slice(2)).toEqual(['10:05 late down', '10:20 state_change up']);
  });
});

describe('channels that believe what is true', () => {
  it.each([true, false])('are told nothing when a cooldown ends (late_alerts: %s)', async (late_alerts) => {
    await alertingCheck(night, { policy: { late_alerts } });
    await live(
      night,
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
    await live(night, [['09:40', 'fails']], '10:30');
    expect(told(night)).toEqual([]);
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual(['10:30 late down']);
  });

  it('that is lifted while a cooldown runs tells at its end', async () => {
    const check = await alertingCheck(night, { policy: { cooldown_seconds: 3600 } });
    await live(night, [['09:40', 'fails']], '09:50');
    await check.policy({ silenced: true });
    await live(night, [['10:00', 'answers']], '10:10');
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual(['09:40 state_change down', '10:40 late up']);
  });

  it('that is lifted after all is well again tells nothing', async () => {
    const check = await alertingCheck(night, { policy: { silenced: true } });
    await live(
      night,
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

  it('that is lifted during an outage tells nothing without late_alerts', async () => {
    const check = await alertingCheck(night, { policy: { silenced: true, late_alerts: false } });
    await live(night, [['09:40', 'fails']], '10:30');
    await check.policy({ silenced: false });
    await night.until('12:00');
    expect(told(night)).toEqual([]);
  });

  it('keeps back what a cooldown had put off', async () => {
    const check = await alertingCheck(night);
    await live(night, DOWN_UP_DOWN, '10:03');
    await check.policy({ silenced: true });
    await night.until('10:30');
    expect(told(night)).toHaveLength(2);
    await check.policy({ silenced: false });
    await night.until('11:00');
    expect(told(night).slice(2)).toEqual(['10:30 late down']);
  });
});

describe('without alerts of recovery', () => {
  it('nobody is ever told up, and the next outage is told', async () => {
    const check = await alertingCheck(night, { policy: { notify_on_recovery: false } });
    await live(
      night,
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
