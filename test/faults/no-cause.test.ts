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

describe('what fails while all that it depends on is well', () => {
  it('is told at once, and so is what depends on itself in a circle', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop, blog] = [await watched('db'), await watched('shop'), await watched('blog')];
    await depends(shop, db);
    await depends(shop, blog);
    await depends(blog, shop);
    await service.until('09:40');
    fails('shop');
    await service.until('09:41');
    expect(told()).toEqual(['09:40 shop down']);
    fails('blog');
    await service.until('09:42');
    expect(told()).toEqual(['09:40 shop down', '09:41 blog down']);
  });

  it('is told at once where its policy does not wait', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    await depends(shop, db);
    await service.call('POST', `/v1/checks/${shop.id}/policy`, { hold_for_dependencies: false });
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    expect(told().toSorted()).toEqual(['09:40 db down', '09:40 shop down']);
  });
});
