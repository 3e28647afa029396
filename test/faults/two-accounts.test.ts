import { afterEach, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** What an account says: a shop and a blog that depend on a db, by the same slugs whoever's they are. */
async function sameGraph(call: VirtualService['call'], receiver: string, targets: string) {
  const world = dependencyWorld({ ...service, call });
  const watched = (name: string, more: object) =>
    world.watched(name, { receiver, target_url: `http://${targets}-${name}.test/`, ...more });
  // Slow to say by itself that it is down, so that it has to be asked.
  const db = await watched('db', { interval_seconds: 60, failure_threshold: 3 });
  const [shop, blog] = [await watched('shop', {}), await watched('blog', {})];
  for (const one of [shop, blog]) await world.depends(one, db);
  return { db, shop, blog, ...world };
}

const rootOf = async (call: VirtualService['call'], { id }: { id: string }) =>
  (await call('GET', `/v1/checks/${id}/transitions`))[0].alert.attributed_to?.root_entity_id ?? null;

it('two accounts with the same graph: what fails in one explains nothing in the other, and tells nobody there', async () => {
  service = await virtualService('09:30');
  const other = await service.account('Other');
  const ours = await sameGraph(service.call, 'ours.test', 'our');
  const theirs = await sameGraph(other.call, 'theirs.test', 'their');
  await service.until('09:40');
  ours.fails('our-db', 'our-shop', 'our-blog');
  theirs.fails('their-shop');
  await service.until('09:42');
  const first = [ours.shop, ours.blog].find(({ entity }) => ours.told('ours.test')[0]!.includes(entity.name))!;
  expect(await rootOf(service.call, first)).toBe(ours.db.entity.id);
  expect(theirs.told('theirs.test')).toEqual(['09:40 shop down']);
  expect(await rootOf(other.call, theirs.shop)).toBeNull();
  theirs.answers('their-shop');
  await service.until('09:50');
  ours.answers('our-db', 'our-shop', 'our-blog');
  await service.until('10:10');
  expect(theirs.told('theirs.test')).toEqual(['09:40 shop down', '09:45 shop up']);
  expect(ours.told('ours.test').filter((line) => line.endsWith('down'))).toHaveLength(2);
});

it('two accounts that watch the same hosts each ask for themselves, and no item of one knows of the other', async () => {
  service = await virtualService('09:30');
  const other = await service.account('Other');
  const ours = await sameGraph(service.call, 'ours.test', 'same');
  const theirs = await sameGraph(other.call, 'theirs.test', 'same');
  await service.until('09:40');
  ours.fails('same-db', 'same-shop', 'same-blog');
  await service.until('09:50');
  const items = service.items();
  for (const [of, foreign] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    const tenant = items.find(({ sk }) => sk.endsWith(of.shop.id))!.pk.split('#')[1]!;
    const own = items.filter(({ pk }) => pk.startsWith(`T#${tenant}#`));
    expect(own.filter(({ pk }) => pk.includes('#ASKED#'))).toHaveLength(1);
    expect(own.some(({ pk }) => pk.includes('#HELD#'))).toBe(true);
    const ids = [foreign.db, foreign.shop, foreign.blog].flatMap(({ id, entity }) => [id, entity.id]);
    expect(own.filter((item) => ids.some((id) => JSON.stringify(item).includes(id)))).toEqual([]);
  }
  ours.answers('same-db', 'same-shop', 'same-blog');
  await service.until('10:10');
  const downs = (receiver: string) => ours.told(receiver).filter((line) => line.endsWith('down')).length;
  expect([downs('ours.test'), downs('theirs.test')]).toEqual([2, 2]);
});
