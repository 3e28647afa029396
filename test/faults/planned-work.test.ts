import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let open: VirtualService;
afterEach(() => open.close());

const at = (time: string) => new Date(timeOfDay(time)).toISOString();

/** A shop that depends on a database, on which somebody works from 09:40 to 10:00. */
async function from(time: string, scope: object = {}) {
  open = await virtualService(time);
  const world = { service: open, ...dependencyWorld(open) };
  const [db, shop] = [await world.watched('db'), await world.watched('shop')];
  await world.depends(shop, db);
  const window: { id: string } = await open.call('POST', '/v1/windows', {
    ...{ name: 'move', starts_at: at('09:40'), ends_at: at('10:00') },
    scope: { entity_ids: [db.entity.id], include_dependents: true, ...scope },
  });
  return { ...world, db, shop, window };
}

describe('planned work that includes what depends on it', () => {
  it('wakes nobody: what goes down by it and is up before its end is told to nobody', async () => {
    const { service, fails, answers, told, alertsOf, shop, window } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    const held = await service.call('GET', `/v1/checks/${shop.id}/explain`);
    expect(held).toMatchObject({ verdict: 'held', next: { what: 'hold' } });
    expect(held.sentence).toMatch(/What it follows from is in a maintenance window until 2026-11-21 10:00:00 UTC\./);
    answers('db', 'shop');
    await service.until('10:20');
    expect(told()).toEqual([]);
    const [up, down] = await service.call('GET', `/v1/checks/${shop.id}/transitions`);
    expect(down.alert).toMatchObject({
      ...{ decision: 'skipped', reason: 'maintenance', attributed_to: { window_id: window.id } },
      facts: { window_id: window.id, window_until: at('10:00') },
    });
    expect(up.alert).toMatchObject({ decision: 'skipped' });
    expect((await alertsOf(shop)).join()).not.toContain('held');
    const { verdict, rules } = await service.call('GET', `/v1/transitions/${down.id}/explain`);
    expect(verdict).toBe('skipped');
    expect(rules.find(({ outcome }: { outcome: string }) => outcome === 'stop').rule).toBe('maintenance');
  });

  it('is told at its end, by the alert of what it was done to', async () => {
    const { service, fails, told } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('10:10');
    expect(told()).toEqual(['10:00 db down']);
  });

  it('that is over sooner than planned leaves what stays down the time to recover, and no more', async () => {
    const { service, fails, answers, told } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    answers('db');
    await service.until('09:58');
    expect(told()).toEqual(['09:51 shop down']);
  });

  it('that is deleted is told at once', async () => {
    const { service, fails, told, window } = await from('09:30');
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    await service.call('DELETE', `/v1/windows/${window.id}`);
    await service.until('09:52');
    expect(told()).toEqual(['09:50 db down']);
  });

  it('holds nothing that fails for another reason, or whose other root is not planned', async () => {
    const { service, watched, depends, fails, told, shop } = await from('09:30');
    const net = await watched('net');
    await depends(shop, net);
    await service.until('09:45');
    fails('shop');
    await service.until('09:46');
    expect(told()).toEqual(['09:45 shop down']);
    const blog = await watched('blog');
    await depends(blog, shop);
    await depends(blog, net);
    await service.until('09:47');
    fails('db', 'net', 'blog');
    await service.until('09:49');
    expect(told()).toContain('09:47 net down');
  });

  it('without that word lets them tell whoever is not told of it', async () => {
    const { service, fails, told } = await from('09:30', { include_dependents: false });
    await service.until('09:45');
    fails('db', 'shop');
    await service.until('09:50');
    expect(told()).toEqual(['09:45 shop down']);
  });
});
