import { afterEach, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
afterEach(() => service.close());

/** Creates a shop and a blog that depend on a db in one account. The slugs are the same in each account. */
async function sameGraph(call: VirtualService['call'], receiver: string, targets: string) {
  const world = dependencyWorld({ ...service, call });
  const addEntity = (name: string, more: object) =>
    world.addEntity(name, { receiver, target_url: `http://${targets}-${name}.test/`, ...more });
  // The check of db is slow to detect a failure, so that upstream probes are needed.
  const db = await addEntity('db', { interval_seconds: 60, failure_threshold: 3 });
  const [shop, blog] = [await addEntity('shop', {}), await addEntity('blog', {})];
  for (const one of [shop, blog]) await world.depends(one, db);
  return { db, shop, blog, ...world };
}

const rootOf = async (call: VirtualService['call'], { id }: { id: string }) =>
  (await call('GET', `/v1/checks/${id}/transitions`))[0].alert.attributed_to?.root_entity_id ?? null;

it('does not attribute a failure to the root cause in another account with the same graph', async () => {
  service = await virtualService('09:30');
  const other = await service.account('Other');
  const left = await sameGraph(service.call, 'left.test', 'left');
  const right = await sameGraph(other.call, 'right.test', 'right');
  await service.until('09:40');
  left.fails('left-db', 'left-shop', 'left-blog');
  right.fails('right-shop');
  await service.until('09:42');
  const first = [left.shop, left.blog].find(({ entity }) => left.alertsAt('left.test')[0]!.includes(entity.name))!;
  expect(await rootOf(service.call, first)).toBe(left.db.entity.id);
  expect(right.alertsAt('right.test')).toEqual(['09:40 shop down']);
  expect(await rootOf(other.call, right.shop)).toBeNull();
  right.answers('right-shop');
  await service.until('09:50');
  left.answers('left-db', 'left-shop', 'left-blog');
  await service.until('10:10');
  expect(right.alertsAt('right.test')).toEqual(['09:40 shop down', '09:45 shop up']);
  expect(left.alertsAt('left.test').filter((line) => line.endsWith('down'))).toHaveLength(2);
});

it('sends separate upstream probes for two accounts with the same hosts, and shares no items', async () => {
  service = await virtualService('09:30');
  const other = await service.account('Other');
  const left = await sameGraph(service.call, 'left.test', 'same');
  const right = await sameGraph(other.call, 'right.test', 'same');
  await service.until('09:40');
  left.fails('same-db', 'same-shop', 'same-blog');
  await service.until('09:50');
  const items = service.items();
  for (const [of, foreign] of [
    [left, right],
    [right, left],
  ] as const) {
    const tenant = items.find(({ sk }) => sk.endsWith(of.shop.id))!.pk.split('#')[1]!;
    const own = items.filter(({ pk }) => pk.startsWith(`T#${tenant}#`));
    expect(own.filter(({ pk }) => pk.includes('#UPSTREAM_PROBES#'))).toHaveLength(1);
    expect(own.some(({ pk }) => pk.includes('#HELD#'))).toBe(true);
    const ids = [foreign.db, foreign.shop, foreign.blog].flatMap(({ id, entity }) => [id, entity.id]);
    expect(own.filter((item) => ids.some((id) => JSON.stringify(item).includes(id)))).toEqual([]);
  }
  left.answers('same-db', 'same-shop', 'same-blog');
  await service.until('10:10');
  const downs = (receiver: string) => left.alertsAt(receiver).filter((line) => line.endsWith('down')).length;
  expect([downs('left.test'), downs('right.test')]).toEqual([2, 2]);
});
