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

/** Starts a service with a database, and a shop and a blog that depend on it. */
async function shopAndBlog(time: string) {
  const world = await from(time);
  const { addEntity, depends } = world;
  const db = await addEntity('db');
  const [shop, blog] = [await addEntity('shop'), await addEntity('blog')];
  await depends(shop, db);
  await depends(blog, db);
  return { ...world, db, shop, blog };
}

describe('the failure of a dependency', () => {
  it('sends one alert, and one recovery; the dependents record why they sent none', async () => {
    const { service, fails, answers, alertsAt, decisionsOf, shop, blog } = await shopAndBlog('09:30');
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    answers('db', 'shop', 'blog');
    await service.until('10:10');
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 db up']);
    for (const dependent of [shop, blog]) {
      expect(await decisionsOf(dependent)).toEqual([
        'up skipped dependency',
        'down skipped dependency',
        'up skipped initial',
      ]);
    }
  });

  it('is named by a dependent whose alert it holds, in the decision and the explanation', async () => {
    const { service, fails, answers, db, shop } = await shopAndBlog('09:30');
    const downOf = async () => {
      const all = await service.call('GET', `/v1/checks/${shop.id}/transitions`);
      return all.find((one: { check_to_state: string }) => one.check_to_state === 'down');
    };
    const root = { root_entity_id: db.entity.id, root_entity_name: 'db', root_state: 'down' };
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:50');
    const held = await downOf();
    expect(held.alert).toMatchObject({
      ...{ decision: 'held', reason: 'dependency' },
      attributed_to: { ...root, incident_id: expect.stringMatching(/^inc_/) },
    });
    const explained = await service.call('GET', `/v1/transitions/${held.id}/explain`);
    expect(explained.sentence).toContain(
      'the root cause is db, of which the channels of the check are notified instead.',
    );
    answers('db', 'shop');
    await service.until('10:10');
    expect((await downOf()).alert).toMatchObject({
      ...{ decision: 'skipped', reason: 'dependency' },
      attributed_to: { ...root, next_evaluation_at: null },
    });
  });

  it('is found by an upstream probe when its own check has a long interval, and the first dependent names it', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const db = await addEntity('db', { interval_seconds: 300, failure_threshold: 3 });
    const [shop, blog] = [await addEntity('shop'), await addEntity('blog')];
    await depends(shop, db);
    await depends(blog, db);
    await service.until('09:41');
    // The next slot of db is five minutes after its last result.
    const { results } = await service.call('GET', `/v1/checks/${db.id}/results`);
    const probed = Date.parse(results[0].checked_at) + 300_000;
    await service.until(probed + 5000);
    const before = await service.call('GET', `/v1/checks/${db.id}/results`);
    fails('db', 'shop', 'blog');
    await service.until(probed + 125_000);
    expect(alertsAt()).toHaveLength(1);
    const { at } = service.host('pager.test').calls[0]!;
    expect(Math.floor((at - probed - 5000) / 60_000)).toBe(0);
    const first = [shop, blog].find(({ entity }) => alertsAt()[0]!.endsWith(` ${entity.name} down`))!;
    const [{ alert }] = await service.call('GET', `/v1/checks/${first.id}/transitions`);
    expect(alert).toMatchObject({
      ...{ decision: 'planned', urgency: 'high' },
      attributed_to: { root_entity_id: db.entity.id, root_entity_name: 'db', root_state: 'up' },
    });
    const { state, consecutive_failures } = await service.call('GET', `/v1/checks/${db.id}`);
    expect({ state, consecutive_failures }).toEqual({ state: 'up', consecutive_failures: 0 });
    expect(await service.call('GET', `/v1/checks/${db.id}/results`)).toEqual(before);
  });

  it('sends its own alert with low urgency after that of a dependent, even while its own dependency is probed', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [host, db] = [await addEntity('host'), await addEntity('db', { failure_threshold: 3 })];
    const shop = await addEntity('shop');
    await depends(db, host);
    await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    expect(alertsAt()).toEqual(['09:40 shop down', '09:40 db down']);
    const urgencies = [shop, db].map(
      async ({ id }) => (await service.call('GET', `/v1/checks/${id}/transitions`))[0].alert.urgency,
    );
    expect(await Promise.all(urgencies)).toEqual(['high', 'low']);
  });

  it('has the downstream entities in its first alert, and the downstream failures in its reminder', async () => {
    const { service, addEntity, depends, fails } = await from('09:30');
    const db = await addEntity('db');
    await service.call('POST', `/v1/checks/${db.id}/policy`, { repeat_interval_seconds: 300 });
    const dependents = [await addEntity('shop'), await addEntity('blog'), await addEntity('mail')];
    for (const one of dependents) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog', 'mail');
    await service.until('09:46');
    const payloads = service.host('pager.test').calls.map(({ body }) => JSON.parse(body));
    const [first, reminder] = payloads.filter(({ kind }) => kind !== 'impact');
    expect(first).toMatchObject({ kind: 'state_change', impact: { count: 3 } });
    expect(first.impact.names.toSorted()).toEqual(['blog', 'mail', 'shop']);
    expect(reminder).toMatchObject({ kind: 'reminder', affected: { count: 3 }, impact: { count: 3 } });
    expect(reminder.affected.names.toSorted()).toEqual(['blog', 'mail', 'shop']);
  });

  it('without recipients lets only the first of its dependents alert', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt, withoutRecipients } = await from('09:30');
    const db = await addEntity('db');
    await withoutRecipients(db);
    const dependents = [await addEntity('shop'), await addEntity('blog'), await addEntity('mail')];
    for (const one of dependents) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog', 'mail');
    await service.until('09:50');
    const downs = alertsAt().filter((line) => line.endsWith('down'));
    expect(downs).toHaveLength(1);
    answers('db', 'shop', 'blog', 'mail');
    await service.until('10:10');
    // Recipients of that dependent's alert get its recovery, and nothing about others.
    const [, name] = downs[0]!.split(' ');
    expect(alertsAt()).toEqual([downs[0], `09:50 ${name} up`]);
  });

  it('notifies each destination once, through any of its channels', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const db = await addEntity('db', { receiver: 'dba.test' });
    const shop = await addEntity('shop', { receiver: 'shop-team.test' });
    const cart = await addEntity('cart', { receiver: 'shop-team.test' });
    const blog = await addEntity('blog', { receiver: 'blog-team.test' });
    for (const one of [shop, cart, blog]) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'cart', 'blog');
    await service.until('09:50');
    expect(alertsAt('dba.test')).toEqual(['09:40 db down']);
    expect(alertsAt('shop-team.test')).toHaveLength(1);
    expect(alertsAt('blog-team.test')).toHaveLength(1);
  });

  it('lets dependents alert if they stay down after their time to recover', async () => {
    const { service, fails, answers, alertsAt, decisionsOf, shop } = await shopAndBlog('09:30');
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    answers('db', 'blog');
    await service.until('10:10');
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 db up', '09:51 shop down']);
    expect(await decisionsOf(shop)).toEqual(['down planned null', 'up skipped initial']);
  });

  it('lets dependents alert if its recipients cannot be reached', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const db = await addEntity('db', { receiver: 'old.test' });
    const shop = await addEntity('shop', { receiver: 'old.test' });
    await service.call('POST', `/v1/checks/${shop.id}/policy/channels`, {
      ...{ channel_type: 'webhook', config: { url: 'https://new.test/hook' } },
    });
    await depends(shop, db);
    await service.until('09:40');
    service.host('old.test').does('fails');
    fails('db', 'shop');
    await service.until('09:50');
    // The working channel belongs only to the shop, whose alert is sent at once.
    expect(alertsAt('new.test')).toEqual(['09:40 shop down']);
    const kinds = (await service.call('GET', '/v1/notify/logs')).map(
      ({ check_id, status }: { check_id: string; status: string }) => `${check_id === db.id ? 'db' : 'shop'} ${status}`,
    );
    // The other channel is tried for both.
    expect(new Set(kinds)).toEqual(new Set(['db failed', 'shop failed', 'shop sent']));
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'has the same result when the service crashes at message %i of the incident',
    async (nth) => {
      const { service, fails, answers, alertsAt, decisionsOf, db, shop, blog } = await shopAndBlog('09:30');
      await service.until('09:40');
      let sent = 0;
      service.fatal.send = (queue) => (queue === 'deadline' || queue === 'delivery') && ++sent === nth;
      fails('db', 'shop', 'blog');
      await service.until('09:50');
      answers('db', 'blog');
      await service.until('10:10');
      const downs = alertsAt().filter((line) => line.endsWith('down'));
      // db alerts, and shop, which stays down; blog does not.
      expect(new Set(downs.map((line) => line.split(' ')[1]))).toEqual(new Set(['db', 'shop']));
      for (const one of [shop, blog, db]) expect((await decisionsOf(one)).join()).not.toContain('held');
    },
  );

  it('lets former dependents alert when the relation is deleted', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
    const relation = await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:50');
    expect(alertsAt()).toEqual(['09:40 db down']);
    await service.call('DELETE', `/v1/relations/${relation}`);
    await service.until('09:53');
    expect(alertsAt()).toEqual(['09:40 db down', '09:51 shop down']);
  });

  it('lets dependents alert when its entity is deleted or their policy no longer holds alerts', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop, blog] = [await addEntity('db'), await addEntity('shop'), await addEntity('blog')];
    await depends(shop, db);
    await depends(blog, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:50');
    await service.call('POST', `/v1/checks/${blog.id}/policy`, { hold_for_dependencies: false });
    await service.until('09:52');
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 blog down']);
    await service.call('DELETE', '/v1/blueprints/service/entities/db');
    await service.until('09:55');
    expect(alertsAt()).toEqual(['09:40 db down', '09:50 blog down', '09:53 shop down']);
  });

  it('is not the cause of a later failure of a check that stayed up for two minutes', async () => {
    const { service, addEntity, depends, fails, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
    await depends(shop, db);
    await service.until('09:40');
    fails('db');
    await service.until('09:47');
    fails('shop');
    await service.until('09:48');
    expect(alertsAt()).toEqual(['09:40 db down', '09:47 shop down']);
  });

  it('gives later failures time to settle after its recovery', async () => {
    const { service, addEntity, depends, fails, answers, alertsAt } = await from('09:30');
    const [db, shop] = [await addEntity('db'), await addEntity('shop')];
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
    expect(alertsAt()).toEqual(['09:40 db down', '09:46 db up']);
  });
});
