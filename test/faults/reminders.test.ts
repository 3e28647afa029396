import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('09:30');
});
afterEach(() => service.close());

const TEN_MINUTES = { repeat_interval_seconds: 600 };
/** Creates a push check that is down from 09:40:00 on. */
async function downAt0940(policy: object = TEN_MINUTES) {
  const check = await alertingCheck(service, { check_type: 'push', interval_seconds: 86_400, policy });
  await service.until('09:40');
  await check.push(false);
  return check;
}
const repeats = () => alertsAt(service).filter((line) => line.includes('reminder'));

describe('reminders', () => {
  it('are sent every interval after the transition while the check is down', async () => {
    const check = await downAt0940();
    await service.until('10:15');
    await check.push(true);
    await service.until('12:00');
    expect(alertsAt(service)).toEqual([
      '09:40 state_change down',
      '09:50 reminder down',
      '10:00 reminder down',
      '10:10 reminder down',
      '10:15 state_change up',
    ]);
  });

  it('are sent exactly at their interval, even if it is short', async () => {
    await downAt0940({ repeat_interval_seconds: 7 });
    await service.until('09:41');
    const seconds = service.host('pager.test').calls.map(({ at }) => Math.floor(at / 1000) % 60);
    expect(seconds).toEqual([0, 7, 14, 21, 28, 35, 42, 49, 56]);
  });

  it('are sent even if the alert was suppressed by the cooldown, and start no cooldown', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 120, cooldown_seconds: 300, late_alerts: false });
    await service.until('09:41');
    await check.push(true);
    await check.push(false);
    await service.until('09:45:30');
    await check.push(true);
    await service.until('10:30');
    expect(alertsAt(service)).toEqual([
      '09:40 state_change down',
      '09:43 reminder down',
      '09:45 reminder down',
      '09:45 state_change up',
    ]);
  });

  it('stop while the policy is silenced, and keep their times', async () => {
    const check = await downAt0940();
    await service.until('09:45');
    await check.policy({ silenced: true });
    await service.until('10:05');
    await check.policy({ silenced: false });
    await service.until('10:25');
    expect(repeats()).toEqual(['10:10 reminder down', '10:20 reminder down']);
  });

  it('use a new interval immediately, counted from the transition', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 3600 });
    await service.until('09:55');
    await check.policy({ repeat_interval_seconds: 600 });
    await service.until('10:15');
    await check.policy({ repeat_interval_seconds: 1800 });
    await service.until('11:00');
    await check.policy({ repeat_interval_seconds: 0 });
    await service.until('13:00');
    expect(repeats()).toEqual(['10:00 reminder down', '10:10 reminder down', '10:40 reminder down']);
  });

  it('start when they are enabled during an outage', async () => {
    const check = await downAt0940({});
    await service.until('10:03');
    await check.policy(TEN_MINUTES);
    await service.until('10:15');
    expect(repeats()).toEqual(['10:10 reminder down']);
  });

  it('end when the check is disabled or deleted', async () => {
    const [first, second] = [await downAt0940(), await downAt0940()];
    await service.until('09:45');
    await first.change({ enabled: false });
    await second.remove();
    await service.until('11:00');
    expect(repeats()).toEqual([]);
  });

  it.each([
    ['the whole service is down', () => service.away(60 * 60_000)],
    ['no tick arrives', () => service.ticks(false)],
  ])('are not sent while %s, and one is sent afterwards', async (_what, begins) => {
    await downAt0940();
    await service.until('09:55');
    begins();
    await service.until('10:54:59');
    expect(repeats()).toEqual(['09:50 reminder down']);
    service.ticks(true);
    await service.until('10:59:30');
    expect(repeats()).toHaveLength(2);
    await service.until('11:05');
    expect(repeats()).toHaveLength(3);
    expect(repeats().at(-1)).toBe('11:00 reminder down');
  });
});

describe('a closing alert', () => {
  const closings = () => alertsAt(service).filter((line) => line.includes('closed'));

  it('is sent once when a check is disabled while down, and sets its last notified state to up', async () => {
    const check = await downAt0940({ cooldown_seconds: 0 });
    await service.until('09:50');
    await check.change({ enabled: false });
    await service.until('10:00');
    await check.change({ enabled: true });
    await check.push(true);
    await service.until('10:10');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '09:50 closed unknown']);
    await check.push(false);
    await service.until('10:20');
    expect(alertsAt(service).slice(2)).toEqual(['10:10 state_change down']);
  });

  it('is sent once when a check is deleted while down', async () => {
    const check = await downAt0940();
    await service.until('09:45');
    await check.remove();
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down', '09:45 closed unknown']);
  });

  it('is retried for a deleted check like any other alert', async () => {
    const check = await downAt0940();
    await service.until('09:45');
    service.host('pager.test').does('refuses');
    await check.remove();
    await service.until('09:45:02');
    service.host('pager.test').does('answers');
    await service.until('11:00');
    expect(closings()).toEqual(['09:45 closed unknown']);
  });

  it('is retried after 1, 5 and 15 minutes if no channel received it', async () => {
    const check = await downAt0940();
    await service.until('09:45');
    service.host('pager.test').does('refuses');
    await check.change({ enabled: false });
    await service.until('09:49');
    service.host('pager.test').does('answers');
    await service.until('11:00');
    expect(closings()).toEqual(['09:50 closed unknown']);
  });

  it('is not sent while the policy is silenced, but when the silence is lifted', async () => {
    const check = await downAt0940();
    await check.policy({ silenced: true });
    await check.change({ enabled: false });
    await service.until('10:00');
    expect(closings()).toEqual([]);
    await check.policy({ silenced: false });
    await service.until('10:10');
    expect(closings()).toEqual(['10:00 closed unknown']);
  });

  it('is not sent again when the disabled check is deleted, even if it failed', async () => {
    const check = await downAt0940();
    await service.until('09:45');
    service.host('pager.test').does('refuses');
    await check.change({ enabled: false });
    await service.until('09:45:20');
    service.host('pager.test').does('answers');
    await check.remove();
    await service.until('11:00');
    expect(closings()).toEqual([]);
  });

  it('is not sent again when the disabled check is deleted, if it was sent or silenced', async () => {
    const [sent, silenced] = [await downAt0940(), await downAt0940()];
    await service.until('09:45');
    await sent.change({ enabled: false });
    await silenced.policy({ silenced: true });
    await silenced.change({ enabled: false });
    await service.until('10:00');
    await sent.remove();
    await silenced.remove();
    await service.until('11:00');
    expect(closings()).toEqual(['09:45 closed unknown']);
  });

  it('is not sent when the whole entity is deleted', async () => {
    const { entity } = await downAt0940();
    await service.until('09:41');
    await service.call('DELETE', `/v1/blueprints/service/entities/${entity.slug}`);
    await service.until('11:00');
    expect(alertsAt(service)).toEqual(['09:40 state_change down']);
  });

  it('is not sent to channels whose last notified state is up', async () => {
    const [up, recovered, never] = [await downAt0940(), await downAt0940(), await downAt0940({ silenced: true })];
    await service.until('09:50');
    await up.push(true);
    await recovered.push(true);
    await service.until('10:00');
    await up.change({ enabled: false });
    await recovered.remove();
    await never.remove();
    await service.until('11:00');
    expect(closings()).toEqual([]);
  });

  it('is logged with its kind', async () => {
    const check = await downAt0940();
    await check.change({ enabled: false });
    await service.until('09:41');
    const [note] = await service.call('GET', '/v1/notify/logs');
    const [transition] = await check.read('/transitions');
    expect(note).toMatchObject({ kind: 'closed', status: 'sent', transition_id: transition.id });
    expect(transition).toMatchObject({
      cause: 'check_disabled',
      alert: { decision: 'skipped', reason: 'configuration', deliveries: [] },
    });
  });
});
