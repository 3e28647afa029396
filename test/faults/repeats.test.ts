import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertingCheck, told, type VirtualService, virtualService } from './virtual-service.ts';

let night: VirtualService;
beforeEach(async () => {
  night = await virtualService('09:30');
});
afterEach(() => night.close());

const TEN_MINUTES = { repeat_interval_seconds: 600 };
/** A push check that is down from 09:40 on, to the second. */
async function downAt0940(policy: object = TEN_MINUTES) {
  const check = await alertingCheck(night, { check_type: 'push', interval_seconds: 86_400, policy });
  await night.until('09:40');
  await check.push(false);
  return check;
}
const repeats = () => told(night).filter((line) => line.includes('reminder'));

describe('repeats', () => {
  it('come every interval from the transition on, as long as it is down', async () => {
    const check = await downAt0940();
    await night.until('10:15');
    await check.push(true);
    await night.until('12:00');
    expect(told(night)).toEqual([
      '09:40 state_change down',
      '09:50 reminder down',
      '10:00 reminder down',
      '10:10 reminder down',
      '10:15 state_change up',
    ]);
  });

  it('come at the full second of their interval, also when it is short', async () => {
    await downAt0940({ repeat_interval_seconds: 7 });
    await night.until('09:41');
    const seconds = night.host('pager.test').calls.map(({ at }) => Math.floor(at / 1000) % 60);
    expect(seconds).toEqual([0, 7, 14, 21, 28, 35, 42, 49, 56]);
  });

  it('come also when the alert itself was held back by the cooldown, and start no cooldown', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 120, cooldown_seconds: 300, late_alerts: false });
    await night.until('09:41');
    await check.push(true);
    await check.push(false);
    await night.until('09:45:30');
    await check.push(true);
    await night.until('10:30');
    expect(told(night)).toEqual([
      '09:40 state_change down',
      '09:43 reminder down',
      '09:45 reminder down',
      '09:45 state_change up',
    ]);
  });

  it('stop while the policy is silenced, and keep their rhythm', async () => {
    const check = await downAt0940();
    await night.until('09:45');
    await check.policy({ silenced: true });
    await night.until('10:05');
    await check.policy({ silenced: false });
    await night.until('10:25');
    expect(repeats()).toEqual(['10:10 reminder down', '10:20 reminder down']);
  });

  it('take a new interval at once, counted from the transition', async () => {
    const check = await downAt0940({ repeat_interval_seconds: 3600 });
    await night.until('09:55');
    await check.policy({ repeat_interval_seconds: 600 });
    await night.until('10:15');
    await check.policy({ repeat_interval_seconds: 1800 });
    await night.until('11:00');
    await check.policy({ repeat_interval_seconds: 0 });
    await night.until('13:00');
    expect(repeats()).toEqual(['10:00 reminder down', '10:10 reminder down', '10:40 reminder down']);
  });

  it('begin when they are asked for during an outage', async () => {
    const check = await downAt0940({});
    await night.until('10:03');
    await check.policy(TEN_MINUTES);
    await night.until('10:15');
    expect(repeats()).toEqual(['10:10 reminder down']);
  });

  it('end when the check is disabled or deleted', async () => {
    const [first, second] = [await downAt0940(), await downAt0940()];
    await night.until('09:45');
    await first.change({ enabled: false });
    await second.remove();
    await night.until('11:00');
    expect(repeats()).toEqual([]);
  });

  it.each([
    ['the whole service is away', () => night.away(60 * 60_000)],
    ['no tick comes', () => night.ticks(false)],
  ])('are made up for by one when %s', async (_what, begins) => {
    await downAt0940();
    await night.until('09:55');
    begins();
    await night.until('10:54:59');
    expect(repeats()).toEqual(['09:50 reminder down']);
    night.ticks(true);
    await night.until('10:59:30');
    expect(repeats()).toHaveLength(2);
    await night.until('11:05');
    expect(repeats()).toHaveLength(3);
    expect(repeats().at(-1)).toBe('11:00 reminder down');
  });
});

describe('a closing note', () => {
  const closings = () => told(night).filter((line) => line.includes('closed'));

  it('goes out once when a check is disabled while it is down, and counts as up from then on', async () => {
    const check = await downAt0940({ cooldown_seconds: 0 });
    await night.until('09:50');
    await check.change({ enabled: false });
    await night.until('10:00');
    await check.change({ enabled: true });
    await check.push(true);
    await night.until('10:10');
    expect(told(night)).toEqual(['09:40 state_change down', '09:50 closed unknown']);
    await check.push(false);
    await night.until('10:20');
    expect(told(night).slice(2)).toEqual(['10:10 state_change down']);
  });

  it('goes out once when a check is deleted while it is down', async () => {
    const check = await downAt0940();
    await night.until('09:45');
    await check.remove();
    await night.until('11:00');
    expect(told(night)).toEqual(['09:40 state_change down', '09:45 closed unknown']);
  });

  it('of a deleted check is tried as often as any alert', async () => {
    const check = await downAt0940();
    await night.until('09:45');
    night.host('pager.test').does('refuses');
    await check.remove();
    await night.until('09:45:02');
    night.host('pager.test').does('answers');
    await night.until('11:00');
    expect(closings()).toEqual(['09:45 closed unknown']);
  });

  it('is tried again after 1, 5 and 15 minutes when it reached nobody', async () => {
    const check = await downAt0940();
    await night.until('09:45');
    night.host('pager.test').does('refuses');
    await check.change({ enabled: false });
    await night.until('09:49');
    night.host('pager.test').does('answers');
    await night.until('11:00');
    expect(closings()).toEqual(['09:50 closed unknown']);
  });

  it('does not go out when the policy is silenced, but when the silence is lifted', async () => {
    const check = await downAt0940();
    await check.policy({ silenced: true });
    await check.change({ enabled: false });
    await night.until('10:00');
    expect(closings()).toEqual([]);
    await check.policy({ silenced: false });
    await night.until('10:10');
    expect(closings()).toEqual(['10:00 closed unknown']);
  });

  it('that failed is not sent again once the check is deleted', async () => {
    const check = await downAt0940();
    await night.until('09:45');
    night.host('pager.test').does('refuses');
    await check.change({ enabled: false });
    await night.until('09:45:20');
    night.host('pager.test').does('answers');
    await check.remove();
    await night.until('11:00');
    expect(closings()).toEqual([]);
  });

  it('that was sent is not sent again when the check is deleted as well, nor one that is silenced', async () => {
    const [sent, silenced] = [await downAt0940(), await downAt0940()];
    await night.until('09:45');
    await sent.change({ enabled: false });
    await silenced.policy({ silenced: true });
    await silenced.change({ enabled: false });
    await night.until('10:00');
    await sent.remove();
    await silenced.remove();
    await night.until('11:00');
    expect(closings()).toEqual(['09:45 closed unknown']);
  });

  it('does not go out when the whole entity is deleted', async () => {
    const { entity } = await downAt0940();
    await night.until('09:41');
    await night.call('DELETE', `/v1/blueprints/service/entities/${entity.slug}`);
    await night.until('11:00');
    expect(told(night)).toEqual(['09:40 state_change down']);
  });

  it('does not go out to channels that know the check as up', async () => {
    const [up, recovered, never] = [await downAt0940(), await downAt0940(), await downAt0940({ silenced: true })];
    await night.until('09:50');
    await up.push(true);
    await recovered.push(true);
    await night.until('10:00');
    await up.change({ enabled: false });
    await recovered.remove();
    await never.remove();
    await night.until('11:00');
    expect(closings()).toEqual([]);
  });

  it('is in the log as what it is', async () => {
    const check = await downAt0940();
    await check.change({ enabled: false });
    await night.until('09:41');
    const [note] = await night.call('GET', '/v1/notify/logs');
    const [transition] = await check.read('/transitions');
    expect(note).toMatchObject({ kind: 'closed', status: 'sent', transition_id: transition.id });
    expect(transition).toMatchObject({
      cause: 'check_disabled',
      alert: { decision: 'skipped', reason: 'configuration', deliveries: [] },
    });
  });
});
