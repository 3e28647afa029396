import { afterEach, describe, expect, it } from 'vitest';
import { checkWithheldAlerts } from '#test/oracle/withheld-alerts.ts';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

/** Starts a service at a time of day. */
async function from(time: string) {
  running = await virtualService(time);
  return { service: running, ...dependencyWorld(running) };
}

const TEAM = { channel_type: 'webhook', config: { url: 'https://team.test/hook' } };

/**
 * Starts a service with a database and a shop that depends on it. A removable channel of the shop alerts its team too.
 */
async function shopAndTeam(time: string) {
  const world = await from(time);
  const [db, shop] = [await world.addEntity('db'), await world.addEntity('shop')];
  await world.depends(shop, db);
  const channels = `/v1/checks/${shop.id}/policy/channels`;
  const { id } = await world.service.call('POST', channels, TEAM);
  return { ...world, shop, removeTeamChannel: () => world.service.call('DELETE', `${channels}/${id}`) };
}

describe('a held alert', () => {
  it('is skipped when the check recovers, and the recovery goes to the recipients of its degraded alert', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt, decisionsOf } = await from('09:30');
    const db = await addEntity('db');
    const wanted = { source: 'header', property: 'x-load', operator: 'not_exists', severity: 'warn' };
    const shop = await addEntity('shop', { config: { assertions: [wanted] } });
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { cooldown_seconds: 0 });
    await depends(shop, db);
    await service.until('09:40');
    service.host('shop.test').does(() => ({ status: 200, headers: { 'x-load': 'high' } }));
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    expect(alertsAt().filter((line) => line.includes('shop'))).toEqual(['09:40 shop degraded', '09:50 shop up']);
    expect(await decisionsOf(shop)).toEqual([
      'up planned null',
      'down skipped dependency',
      'degraded planned null',
      'up skipped initial',
    ]);
  });

  it('ends with a recovery for notified recipients, even through another channel to them', async () => {
    const { service, fails, answers, alertsAt, shop, removeTeamChannel } = await shopAndTeam('09:30');
    const applies_to = { check_ids: [shop.id] };
    await service.call('POST', '/v1/notify/channels', { name: 'team', ...TEAM, applies_to });
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    await removeTeamChannel();
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    expect(alertsAt('team.test')).toEqual(['09:40 shop down', '09:50 shop up']);
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 db up']);
  });

  it('ends without a recovery for recipients that were not notified, even if a removed channel was notified before', async () => {
    const { service, fails, answers, alertsAt, removeTeamChannel } = await shopAndTeam('09:30');
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    await removeTeamChannel();
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    fails('db', 'shop');
    await service.until('10:20');
    answers('db', 'shop');
    await service.until('10:40');
    expect(alertsAt('team.test')).toEqual(['09:40 shop down']);
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 db up', '10:10 db down', '10:20 db up']);
  });

  it('is sent to a recipient that was added while it was held, once its cause fails only in part', async () => {
    const { service, addEntity, addCheck, depends, fails, answers, alertsAt } = await from('09:30');
    const [db, shop, report] = [await addEntity('db'), await addEntity('shop'), await addEntity('report')];
    await addCheck(db.entity, 'replica');
    await depends(shop, db);
    await depends(report, db, { when: 'degraded' });
    await service.until('09:40');
    fails('db', 'replica', 'shop');
    await service.until('09:45');
    const applies_to = { check_ids: [shop.id] };
    await service.call('POST', '/v1/notify/channels', { name: 'team', ...TEAM, applies_to });
    await service.until('09:46');
    answers('db');
    await service.until('09:50');
    expect(alertsAt('team.test')).toEqual(['09:47 shop down']);
    const { seen, keys } = service;
    expect(checkWithheldAlerts({ seen, keys, profile: { quiet: true, jumpMs: 0 } })).toEqual([]);
  });

  it('is sent at the end of a maintenance window that opens while it is held', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
    const relation = await depends(shop, db);
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { cooldown_seconds: 120 });
    await service.until('09:39');
    fails('shop');
    await service.until('09:42');
    answers('shop');
    await service.until('09:43');
    fails('db', 'shop');
    // The cooldown of the first alert ends, and the root cause is determined.
    await service.until('09:46');
    const times = { starts_at: '2026-11-21T09:46:30Z', ends_at: '2026-11-21T09:50:00Z' };
    await service.call('POST', '/v1/windows', { name: 'work', scope: { check_ids: [shop.id] }, ...times });
    await service.until('09:48');
    await service.call('DELETE', `/v1/relations/${relation}`);
    await service.until('09:58');
    expect(alertsAt().filter((line) => line.includes('shop'))).toEqual([
      '09:39 shop down',
      '09:42 shop up',
      '09:50 shop down',
    ]);
  });
});
