import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

/** Starts a service at a time of day. */
async function from(time: string) {
  running = await virtualService(time);
  return { service: running, ...dependencyWorld(running) };
}

describe('a failure', () => {
  it('is reported immediately while all dependencies are healthy, even within a cycle of dependencies', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop, blog] = [await addEntity('db'), await addEntity('shop'), await addEntity('blog')];
    await depends(shop, db);
    await depends(shop, blog);
    await depends(blog, shop);
    await service.until('09:40');
    fails('shop');
    await service.until('09:41');
    expect(alertsAt()).toEqual(['09:40 shop down']);
    fails('blog');
    await service.until('09:42');
    expect(alertsAt()).toEqual(['09:40 shop down', '09:41 blog down']);
  });

  it('is reported immediately if its policy does not hold alerts for dependencies', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
    await depends(shop, db);
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { hold_for_dependencies: false });
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    expect(alertsAt().toSorted()).toEqual(['09:40 db down', '09:40 shop down']);
  });
});
