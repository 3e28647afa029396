import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

/** A service at a time of day. */
async function from(time: string) {
  open = await virtualService(time);
  return { service: open, ...dependencyWorld(open) };
}

const TEAM = { channel_type: 'webhook', config: { url: 'https://team.test/hook' } };

/** The same with a database, and a shop that depends on it and alerts its team as well, by a channel that may go. */
async function shopAndTeam(time: string) {
  const world = await from(time);
  const [db, shop] = [await world.watched('db'), await world.watched('shop')];
  await world.depends(shop, db);
  const channels = `/v1/checks/${shop.id}/policy/channels`;
  const { id } = await world.service.call('POST', channels, TEAM);
  return { ...world, shop, teamIsGone: () => world.service.call('DELETE', `${channels}/${id}`) };
}

describe('while an alert waits for its cause', () => {
  it('who was told that a dependent is degraded hears that it is well again, and not that it was down', async () => {
    const { service, watched, depends, fails, answers, told, alertsOf } = await from('09:30');
    const db = await watched('db');
    const wanted = { source: 'header', property: 'x-load', operator: 'not_exists', severity: 'warn' };
    const shop = await watched('shop', { config: { assertions: [wanted] } });
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { cooldown_seconds: 0 });
    await depends(shop, db);
    await service.until('09:40');
    service.host('shop.test').does(() => ({ status: 200, headers: { 'x-load': 'high' } }));
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    expect(told().filter((line) => line.includes('shop'))).toEqual(['09:40 shop degraded', '09:50 shop up']);
    expect(await alertsOf(shop)).toEqual([
      'up planned null',
      'down skipped dependency',
      'degraded planned null',
      'up skipped initial',
    ]);
  });

  it('whoever was told all the same hears that it is over, also by another channel that leads there by now', async () => {
    const { service, fails, answers, told, shop, teamIsGone } = await shopAndTeam('09:30');
    const applies_to = { check_ids: [shop.id] };
    await service.call('POST', '/v1/notify/channels', { name: 'team', ...TEAM, applies_to });
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    await teamIsGone();
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    expect(told('team.test')).toEqual(['09:40 shop down', '09:50 shop up']);
    expect(told()).toEqual(['09:40 db down', '09:50 db up']);
  });

  it('who was told of no failure hears of no recovery, also where a channel that is gone was told of one before', async () => {
    const { service, fails, answers, told, teamIsGone } = await shopAndTeam('09:30');
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    await teamIsGone();
    await service.until('09:50');
    answers('db', 'shop');
    await service.until('10:10');
    fails('db', 'shop');
    await service.until('10:20');
    answers('db', 'shop');
    await service.until('10:40');
    expect(told('team.test')).toEqual(['09:40 shop down']);
    expect(told()).toEqual(['09:40 db down', '09:50 db up', '10:10 db down', '10:20 db up']);
  });

  it('a late alert that waits for its cause while a window opens is told at the end of that', async () => {
    const { service, watched, depends, fails, answers, told } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    const relation = await depends(shop, db);
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { cooldown_seconds: 120 });
    await service.until('09:39');
    fails('shop');
    await service.until('09:42');
    answers('shop');
    await service.until('09:43');
    fails('db', 'shop');
    // The cooldown of the first alert ends meanwhile, and its cause is looked for.
    await service.until('09:46');
    const times = { starts_at: '2026-11-21T09:46:30Z', ends_at: '2026-11-21T09:50:00Z' };
    await service.call('POST', '/v1/windows', { name: 'work', scope: { check_ids: [shop.id] }, ...times });
    await service.until('09:48');
    await service.call('DELETE', `/v1/relations/${relation}`);
    await service.until('09:58');
    expect(told().filter((line) => line.includes('shop'))).toEqual([
      '09:39 shop down',
      '09:42 shop up',
      '09:50 shop down',
    ]);
  });
});
