import { afterEach, beforeEach, expect, it } from 'vitest';
import { alertingCheck, alertsAt, type VirtualService, virtualService } from './virtual-service.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('10:30');
});
afterEach(() => service.close());

const health = () => service.call('GET', '/v1/health');
const probes = () => service.host('shop.test').calls.length;

it('recovers within two minutes after a clock that is an hour ahead is set back', async () => {
  const check = await alertingCheck(service);
  const rare = await alertingCheck(service, { interval_seconds: 300 });
  await service.pass(3 * MINUTE);
  expect(await health()).toMatchObject({ ok: true });
  service.stepBack(HOUR);
  expect(await health()).toMatchObject({ ok: false, schedule: { ok: false } });

  // Settings can be written immediately, before the next tick.
  const late = await alertingCheck(service, { target_url: 'http://late.test/', receiver: 'late.test' });
  await rare.change({ interval_seconds: 10 });
  await service.pass(MINUTE);
  expect(await health()).toMatchObject({ ok: true, schedule: { ok: true, lag_seconds: 0 } });
  const before = probes();
  await service.pass(MINUTE);
  // Two checks each ten seconds.
  expect(probes() - before).toBeGreaterThanOrEqual(11);
  expect(probes() - before).toBeLessThanOrEqual(13);
  expect((await late.read()).stale).toBe(false);
  expect(Date.parse((await check.read()).last_result.checked_at)).toBeLessThanOrEqual(service.now());
  expect(service.log.lines.filter(({ message }) => message.startsWith('the clock was set back'))).toHaveLength(1);

  service.host('shop.test').does('fails');
  await service.pass(MINUTE);
  expect((await check.read()).state).toBe('down');
  expect(alertsAt(service)).toHaveLength(2);
});

it('ignores a cooldown that started before the clock was set back, and respects later ones', async () => {
  const shop = service.host('shop.test');
  const check = await alertingCheck(service, { policy: { cooldown_seconds: 300, late_alerts: false } });
  shop.does('fails');
  await service.pass(MINUTE);
  expect(alertsAt(service)).toHaveLength(1);
  service.stepBack(HOUR);
  await service.pass(2 * MINUTE);
  shop.does('answers');
  await service.pass(MINUTE);
  expect(alertsAt(service)).toHaveLength(2);
  shop.does('fails');
  await service.pass(MINUTE);
  expect(alertsAt(service)).toHaveLength(2);
  const [last] = await check.read('/transitions');
  expect(last).toMatchObject({ check_to_state: 'down', alert: { decision: 'skipped', reason: 'cooldown' } });
});

it('detects missed heartbeats after the clock is set back, but no false ones', async () => {
  const settings = { check_type: 'push', interval_seconds: 30, config: { grace_seconds: 60 } };
  const unpushed = await alertingCheck(service, settings);
  const alive = await alertingCheck(service, { ...settings, receiver: 'alive.test' });
  for (let i = 0; i < 6; i++) {
    await unpushed.push(true);
    await alive.push(true);
    await service.pass(25_000);
  }
  service.stepBack(HOUR);
  for (let i = 0; i < 8; i++) {
    await alive.push(true);
    await service.pass(25_000);
  }
  expect((await unpushed.read('/transitions'))[0]).toMatchObject({ check_to_state: 'down', cause: 'missed_heartbeat' });
  expect(alertsAt(service)).toHaveLength(1);
  expect(await alive.read('/transitions')).toHaveLength(1);
  expect(alertsAt(service, 'alive.test')).toEqual([]);
  await alive.push(false);
  expect((await alive.read()).state).toBe('down');
});

it('does not record a missed heartbeat too early after the clock is set back, with an interval of hours', async () => {
  const seldom = { check_type: 'push', interval_seconds: 6 * 3600, config: { grace_seconds: 8 * 3600 } };
  const backup = await alertingCheck(service, seldom);
  await backup.push(true);
  service.stepBack(30 * 24 * HOUR);
  await service.pass(3 * HOUR);
  await backup.push(true);
  await service.pass(7 * HOUR);
  expect((await backup.read()).state).toBe('up');
  await service.pass(2 * HOUR);
  expect((await backup.read()).consecutive_failures).toBeGreaterThan(0);
});
