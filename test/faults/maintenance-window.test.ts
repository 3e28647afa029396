import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

const at = (time: string) => new Date(timeOfDay(time)).toISOString();

/** Starts a service with a shop that depends on a database with a maintenance window from 09:40 to 10:00. */
async function from(time: string, scope: object = {}) {
  running = await virtualService(time);
  const world = { service: running, ...dependencyWorld(running) };
  const [db, shop] = [await world.addEntity('db'), await world.addEntity('shop')];
  await world.depends(shop, db);
  const window: { id: string } = await running.call('POST', '/v1/windows', {
    ...{ name: 'move', starts_at: at('09:40'), ends_at: at('10:00') },
    scope: { entity_ids: [db.entity.id], include_dependents: true, ...scope },
  });
  return { ...world, db, shop, window };
}

describe('a maintenance window of an entity and its dependents', () => {
  it('does not page: failures in it that recover before its end are not reported', async () => {
    const { service, fails, answers, alertsAt, decisionsOf, shop, window } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    const held = await service.call('GET', `/v1/checks/${shop.id}/explain`);
    expect(held).toMatchObject({ verdict: 'held', next: { what: 'hold' } });
    expect(held.sentence).toMatch(/Its root cause is in a maintenance window until 2026-11-21 10:00:00 UTC\./);
    answers('db', 'shop');
    await service.until('10:20');
    expect(alertsAt()).toEqual([]);
    const [up, down] = await service.call('GET', `/v1/checks/${shop.id}/transitions`);
    expect(down.alert).toMatchObject({
      ...{ decision: 'skipped', reason: 'maintenance', attributed_to: { window_id: window.id } },
      facts: { window_id: window.id, window_until: at('10:00') },
    });
    expect(up.alert).toMatchObject({ decision: 'skipped' });
    expect((await decisionsOf(shop)).join()).not.toContain('held');
    const { verdict, rules } = await service.call('GET', `/v1/transitions/${down.id}/explain`);
    expect(verdict).toBe('skipped');
    expect(rules.find(({ outcome }: { outcome: string }) => outcome === 'stop').rule).toBe('maintenance');
  });

  it('reports remaining failures at its end, by the alert of the entity in maintenance', async () => {
    const { service, fails, alertsAt } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('10:10');
    expect(alertsAt()).toEqual(['10:00 db down']);
  });

  it('gives dependents time to recover when the entity recovers before its end', async () => {
    const { service, fails, answers, alertsAt } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    answers('db');
    await service.until('09:58');
    expect(alertsAt()).toEqual(['09:51 shop down']);
  });

  it('reports failures immediately when it is deleted', async () => {
    const { service, fails, alertsAt, window } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    await service.call('DELETE', `/v1/windows/${window.id}`);
    await service.until('09:52');
    expect(alertsAt()).toEqual(['09:50 db down']);
  });

  it('does not hold failures with another reason or another root cause', async () => {
    const { service, addEntity, depends, fails, alertsAt, shop } = await from('09:30');
    const net = await addEntity('net');
    await depends(shop, net);
    await service.until('09:45');
    fails('shop');
    await service.until('09:46');
    expect(alertsAt()).toEqual(['09:45 shop down']);
    const blog = await addEntity('blog');
    await depends(blog, shop);
    await depends(blog, net);
    await service.until('09:47');
    fails('db', 'net', 'blog');
    await service.until('09:49');
    expect(alertsAt()).toContain('09:47 net down');
  });

  it('does not hold alerts of dependents when it excludes dependents', async () => {
    const { service, fails, alertsAt } = await from('09:30', { include_dependents: false });
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    expect(alertsAt()).toEqual(['09:45 shop down']);
  });
});
