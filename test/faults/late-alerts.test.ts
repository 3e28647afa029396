import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playStory, type Story } from './story.ts';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

const DOWN_UP_DOWN: Story = [
  ['09:40', 'fails'],
  ['10:00', 'answers'],
  ['10:02', 'fails'],
];

describe('a check that changes state during the cooldown', () => {
  it('is reported as down once when the cooldown ends', async () => {
    await alertingCheck(service);
    await playStory(service, DOWN_UP_DOWN, '11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:00 state_change up', '10:05 late down']);
  });

  it('is not reported without late_alerts, and its transition has the reason', async () => {
    const check = await alertingCheck(service, { policy: { late_alerts: false } });
    await playStory(service, DOWN_UP_DOWN, '11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:00 state_change up']);
    const [last] = await check.read('/transitions');
    expect(last).toMatchObject({ check_to_state: 'down', alert: { decision: 'skipped', reason: 'cooldown' } });
  });

  it('is reported when late_alerts is switched on, at the end of a running cooldown', async () => {
    const check = await alertingCheck(service, { policy: { late_alerts: false, cooldown_seconds: 600 } });
    await playStory(service, DOWN_UP_DOWN, '10:05');
    await check.policy({ late_alerts: true });
    await service.until('11:00');
    expect(alertsAt(service).slice(2)).toEqual(['10:10 late down']);
  });

  it('is reported at the end of a cooldown that was shortened', async () => {
    const check = await alertingCheck(service, { policy: { cooldown_seconds: 86_400 } });
    await playStory(
      service,
      [
        ['09:40', 'fails'],
        ['10:00', 'answers'],
      ],
      '10:30',
    );
    expect(alertsAt(service)).toEqual(['09:40 state_change down']);
    await check.policy({ cooldown_seconds: 3600 });
    await service.until('12:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:40 late up']);
  });

  it('starts a new cooldown when its late alert is sent', async () => {
    await alertingCheck(service);
    await playStory(service, [...DOWN_UP_DOWN, ['10:07', 'answers']], '11:00');
    expect(alertsAt(service).slice(2)).toEqual(['10:05 late down', '10:10 late up']);
  });

  it('is reported up at once when it recovers after the cooldown', async () => {
    await alertingCheck(service);
    await playStory(service, [...DOWN_UP_DOWN, ['10:20', 'answers']], '11:00');
    expect(alertsAt(service).slice(2)).toEqual(['10:05 late down', '10:20 state_change up']);
  });
});

describe('recipients of a new check', () => {
  it('get nothing for a first success, and an alert for a first failure', async () => {
    await alertingCheck(service);
    await service.until('09:35');
    expect(alertsAt(service)).toEqual([]);
    service.host('other.test').does('fails');
    // The channel exists before the first probe.
    const other = await alertingCheck(service, { target_url: 'http://other.test/', enabled: false });
    await other.change({ enabled: true });
    await service.until('09:36');
    expect(alertsAt(service)).toEqual(['09:35 state_change down']);
  });
});

describe('a silence', () => {
  it('reports an outage immediately when it is lifted', async () => {
    const check = await alertingCheck(service, { policy: { silenced: true } });
    await playStory(service, [['09:40', 'fails']], '10:30');
    expect(alertsAt(service)).toEqual([]);
    await check.policy({ silenced: false });
    await service.until('12:00');
    expect(alertsAt(service)).toEqual(['10:30 late down']);
  });

  it('reports at the end of a cooldown when it is lifted during one', async () => {
    const check = await alertingCheck(service, { policy: { cooldown_seconds: 3600 } });
    await playStory(service, [['09:40', 'fails']], '09:50');
    await check.policy({ silenced: true });
    await playStory(service, [['10:00', 'answers']], '10:10');
    await check.policy({ silenced: false });
    await service.until('12:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:40 late up']);
  });

  it('reports nothing when it is lifted after recovery', async () => {
    const check = await alertingCheck(service, { policy: { silenced: true } });
    await playStory(
      service,
      [
        ['09:40', 'fails'],
        ['09:50', 'answers'],
      ],
      '10:30',
    );
    await check.policy({ silenced: false });
    await service.until('12:00');
    expect(alertsAt(service)).toEqual([]);
  });

  it('reports nothing when it is lifted during an outage without late_alerts', async () => {
    const check = await alertingCheck(service, { policy: { silenced: true, late_alerts: false } });
    await playStory(service, [['09:40', 'fails']], '10:30');
    await check.policy({ silenced: false });
    await service.until('12:00');
    expect(alertsAt(service)).toEqual([]);
  });

  it('suppresses an alert that a cooldown had delayed', async () => {
    const check = await alertingCheck(service);
    await playStory(service, DOWN_UP_DOWN, '10:03');
    await check.policy({ silenced: true });
    await service.until('10:30');
    expect(alertsAt(service)).toHaveLength(2);
    await check.policy({ silenced: false });
    await service.until('11:00');
    expect(alertsAt(service).slice(2)).toEqual(['10:30 late down']);
  });
});

describe('a policy without recovery alerts', () => {
  it('never reports a recovery, but reports the next outage', async () => {
    const check = await alertingCheck(service, { policy: { notify_on_recovery: false } });
    await playStory(
      service,
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
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '10:30 state_change down']);
  });
});
