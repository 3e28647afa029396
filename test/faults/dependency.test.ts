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

/** The same with a database, and a shop and a blog that depend on it. */
async function shopAndBlog(time: string) {
  const world = await from(time);
  const { watched, depends } = world;
  const db = await watched('db');
  const [shop, blog] = [await watched('shop'), await watched('blog')];
  await depends(shop, db);
  await depends(blog, db);
  return { ...world, db, shop, blog };
}

describe('when what others depend on fails', () => {
  it('one alert goes out, and one that it is over; the dependents say why they sent none', async () => {
    const { service, fails, answers, told, alertsOf, shop, blog } = await shopAndBlog('09:30');
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    answers('db', 'shop', 'blog');
    await service.until('10:10');
    expect(told()).toEqual(['09:40 db down', '09:50 db up']);
    for (const dependent of [shop, blog]) {
      expect(await alertsOf(dependent)).toEqual([
        'up skipped dependency',
        'down skipped dependency',
        'up skipped initial',
      ]);
    }
  });

  it('and its own check is slow to say so, it is asked, and the first dependent names it', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const db = await watched('db', { interval_seconds: 300, failure_threshold: 3 });
    const [shop, blog] = [await watched('shop'), await watched('blog')];
    await depends(shop, db);
    await depends(blog, db);
    await service.until('09:41');
    // Its own next slot is five minutes behind this one.
    const { results } = await service.call('GET', `/v1/checks/${db.id}/results`);
    const probed = Date.parse(results[0].checked_at) + 300_000;
    await service.until(probed + 5000);
    const before = await service.call('GET', `/v1/checks/${db.id}/results`);
    fails('db', 'shop', 'blog');
    await service.until(probed + 125_000);
    expect(told()).toHaveLength(1);
    const { at } = service.host('pager.test').calls[0]!;
    expect(Math.floor((at - probed - 5000) / 60_000)).toBe(0);
    const first = [shop, blog].find(({ entity }) => told()[0]!.endsWith(` ${entity.name} down`))!;
    const [{ alert }] = await service.call('GET', `/v1/checks/${first.id}/transitions`);
    expect(alert).toMatchObject({
      ...{ decision: 'planned', urgency: 'high' },
      attributed_to: { root_entity_id: db.entity.id, root_entity_name: 'db', root_state: 'up' },
    });
    const { state, consecutive_failures } = await service.call('GET', `/v1/checks/${db.id}`);
    expect({ state, consecutive_failures }).toEqual({ state: 'up', consecutive_failures: 0 });
    expect(await service.call('GET', `/v1/checks/${db.id}/results`)).toEqual(before);
  });

  it('and its own alert follows as news of the same, also where it waits for a cause of its own', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [host, db] = [await watched('host'), await watched('db', { failure_threshold: 3 })];
    const shop = await watched('shop');
    await depends(db, host);
    await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    expect(told()).toEqual(['09:40 shop down', '09:40 db down']);
    const urgencies = [shop, db].map(
      async ({ id }) => (await service.call('GET', `/v1/checks/${id}/transitions`))[0].alert.urgency,
    );
    expect(await Promise.all(urgencies)).toEqual(['high', 'low']);
  });

  it('a reminder of it says how many fail with it', async () => {
    const { service, watched, depends, fails } = await from('09:30');
    const db = await watched('db');
    await service.call('POST', `/v1/checks/${db.id}/policy`, { repeat_interval_seconds: 300 });
    const dependents = [await watched('shop'), await watched('blog'), await watched('mail')];
    for (const one of dependents) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog', 'mail');
    await service.until('09:46');
    const payloads = service.host('pager.test').calls.map(({ body }) => JSON.parse(body));
    const [first, reminder] = payloads.filter(({ kind }) => kind !== 'impact');
    expect(first).toMatchObject({ kind: 'state_change', impact: { count: 3 } });
    expect(reminder).toMatchObject({ kind: 'reminder', affected: { count: 3 }, impact: { count: 3 } });
    expect(reminder.affected.names.toSorted()).toEqual(['blog', 'mail', 'shop']);
  });

  it('and nobody is told of that, the first dependent tells, and the others do not', async () => {
    const { service, watched, depends, fails, answers, told, unheard } = await from('09:30');
    const db = await watched('db');
    await unheard(db);
    const dependents = [await watched('shop'), await watched('blog'), await watched('mail')];
    for (const one of dependents) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog', 'mail');
    await service.until('09:50');
    const downs = told().filter((line) => line.endsWith('down'));
    expect(downs).toHaveLength(1);
    answers('db', 'shop', 'blog', 'mail');
    await service.until('10:10');
    // Whoever was told that one is down hears that it is up again, and of no other.
    const [, name] = downs[0]!.split(' ');
    expect(told()).toEqual([downs[0], `09:50 ${name} up`]);
  });

  it('each destination hears of it once, by whatever it listens to', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const db = await watched('db', { receiver: 'dba.test' });
    const shop = await watched('shop', { receiver: 'shop-team.test' });
    const cart = await watched('cart', { receiver: 'shop-team.test' });
    const blog = await watched('blog', { receiver: 'blog-team.test' });
    for (const one of [shop, cart, blog]) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'cart', 'blog');
    await service.until('09:50');
    expect(told('dba.test')).toEqual(['09:40 db down']);
    expect(told('shop-team.test')).toHaveLength(1);
    expect(told('blog-team.test')).toHaveLength(1);
  });

  it('what stays down after its recovery is told once it had the time to recover', async () => {
    const { service, fails, answers, told, alertsOf, shop } = await shopAndBlog('09:30');
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    answers('db', 'blog');
    await service.until('10:10');
    expect(told()).toEqual(['09:40 db down', '09:50 db up', '09:51 shop down']);
    expect(await alertsOf(shop)).toEqual(['down planned null', 'up skipped initial']);
  });

  it('and who was to be told of that could not be reached, what depends on it is told', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const db = await watched('db', { receiver: 'old.test' });
    const shop = await watched('shop', { receiver: 'old.test' });
    await service.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
      ...{ channel_type: 'webhook', config: { url: 'https://new.test/hook' } },
    });
    await depends(shop, db);
    await service.until('09:40');
    service.host('old.test').does('fails');
    fails('db', 'shop');
    await service.until('09:50');
    // The one that works hears of it at once, by the only check that it listens to.
    expect(told('new.test')).toEqual(['09:40 shop down']);
    const kinds = (await service.call('GET', '/v1/notify/logs')).map(
      ({ check_id, status }: { check_id: string; status: string }) => `${check_id === db.id ? 'db' : 'shop'} ${status}`,
    );
    // And the one that does not is tried by both.
    expect(new Set(kinds)).toEqual(new Set(['db failed', 'shop failed', 'shop sent']));
  });

  it.each([1, 2, 3, 4, 5, 6])('and the service dies at message %i of the incident, all the same', async (nth) => {
    const { service, fails, answers, told, alertsOf, db, shop, blog } = await shopAndBlog('09:30');
    await service.until('09:40');
    let sent = 0;
    service.fatal.send = (queue) => (queue === 'deadline' || queue === 'delivery') && ++sent === nth;
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    answers('db', 'blog');
    await service.until('10:10');
    const downs = told().filter((line) => line.endsWith('down'));
    // One of db, or of a dependent that was decided first; and in the end of shop, which stays down.
    expect(new Set(downs.map((line) => line.split(' ')[1]))).toEqual(new Set(['db', 'shop']));
    for (const one of [shop, blog, db]) expect((await alertsOf(one)).join()).not.toContain('held');
  });

  it('what was said to depend on it, and does not, is told when the relation is deleted', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    const relation = await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:50');
    expect(told()).toEqual(['09:40 db down']);
    await service.call('DELETE', `/v1/relations/${relation}`);
    await service.until('09:53');
    expect(told()).toEqual(['09:40 db down', '09:51 shop down']);
  });

  it('and its entity is deleted, or the policy waits no more, what depended on it is told', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop, blog] = [await watched('db'), await watched('shop'), await watched('blog')];
    await depends(shop, db);
    await depends(blog, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    await service.call('POST', `/v1/checks/${blog.id}/policy`, { hold_for_dependencies: false });
    await service.until('09:52');
    expect(told()).toEqual(['09:40 db down', '09:50 blog down']);
    await service.call('DELETE', '/v1/blueprints/service/entities/db');
    await service.until('09:55');
    expect(told()).toEqual(['09:40 db down', '09:50 blog down', '09:53 shop down']);
  });

  it('what has lived on for two minutes is told at once', async () => {
    const { service, watched, depends, fails, told } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    await depends(shop, db);
    await service.until('09:40');
    fails('db');
    await service.until('09:47');
    fails('shop');
    await service.until('09:48');
    expect(told()).toEqual(['09:40 db down', '09:47 shop down']);
  });

  it('and comes back, what fails soon after gets the time to settle', async () => {
    const { service, watched, depends, fails, answers, told } = await from('09:30');
    const [db, shop] = [await watched('db'), await watched('shop')];
    await depends(shop, db);
    await service.until('09:40');
    fails('db');
    await service.until('09:46');
    answers('db');
    await service.until('09:46:30');
    fails('shop');
    await service.until('09:46:50');
    answers('shop');
    await service.until('09:55');
    expect(told()).toEqual(['09:40 db down', '09:46 db up']);
  });
});
