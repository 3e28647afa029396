import { afterEach, describe, expect, it } from 'vitest';
import { type Check, dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

type Incident = { id: string; root_entity_id: string; state: string; started_at: string; resolved_at: string | null };

/** Starts a service at a time of day. */
async function from(time: string, settings: Record<string, string> = {}) {
  running = await virtualService(time, settings);
  const incidents = (query = ''): Promise<Incident[]> => running.call('GET', `/v1/incidents${query}`);
  const incident = (id: string) => running.call('GET', `/v1/incidents/${id}`);
  const kinds = async (id: string): Promise<string[]> =>
    (await running.call('GET', `/v1/incidents/${id}/timeline`)).map(({ kind }: { kind: string }) => kind);
  /** Incidents named in alerts, in the order of the alerts. */
  const named = (receiver = 'pager.test'): string[] =>
    running.host(receiver).calls.map(({ body }) => JSON.parse(body).incident_id);
  return { service: running, incidents, incident, kinds, named, ...dependencyWorld(running) };
}

const names = (items: { entity_name: string }[]) => items.map(({ entity_name }) => entity_name).toSorted();

describe('an incident with downstream failures', () => {
  it('includes all of them, and ends with the last recovery', async () => {
    const { service, addEntity, depends, fails, answers, incidents, incident, named, kinds } = await from('09:30');
    const db = await addEntity('db');
    for (const name of ['shop', 'blog']) await depends(await addEntity(name), db);
    await service.until('09:40');
    fails('db');
    await service.until('09:40:15');
    fails('shop', 'blog');
    await service.until('09:45');
    const [found, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      state: 'open',
      title: 'db is down',
      root_entity_id: db.entity.id,
      resolved_at: null,
    });
    const detail = await incident(found!.id);
    expect(detail.entities[0]).toMatchObject({ entity_id: db.entity.id, state: 'down' });
    expect(names(detail.entities)).toEqual(['blog', 'db', 'shop']);
    expect(detail.affected).toMatchObject({ count: 2, items: [{ alert: 'held' }, { alert: 'held' }] });
    expect(detail).toMatchObject({ unrelated: [], notified: [{ channel_type: 'webhook' }] });
    // The alert, and a minute later the impact update.
    expect((await kinds(found!.id)).toSorted()).toEqual(['alert', 'alert', 'joined', 'joined', 'opened']);

    answers('db', 'blog');
    await service.until('09:46');
    answers('shop');
    await service.until('09:50');
    expect((await incidents())[0]).toMatchObject({ state: 'open' });
    await service.until('09:55');
    const [ended] = await incidents();
    expect(ended).toMatchObject({ id: found!.id, state: 'resolved', resolved_by: 'automatic' });
    expect(ended!.resolved_at).toMatch(/T09:46:/);
    expect(await incidents('?state=unresolved')).toEqual([]);
    // The alert of the recovery names it too.
    expect(named()).toEqual([found!.id, found!.id, found!.id]);
  });

  it('exists as soon as an alert names a suspected root cause, and continues when that is confirmed', async () => {
    const { service, addEntity, depends, fails, incidents, incident, named } = await from('09:30');
    const db = await addEntity('db', { interval_seconds: 120, failure_threshold: 3 });
    await depends(await addEntity('shop'), db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    const [id] = named();
    expect(await incident(id!)).toMatchObject({ root_entity_id: db.entity.id, affected: { count: 1 } });
    await service.until('09:50');
    expect(named()).toEqual([id, id]);
    expect((await incidents()).map((one) => one.id)).toEqual([id]);
    expect(names((await incident(id!)).entities)).toEqual(['db', 'shop']);
  });

  it('ends even if its root cause never failed itself, and a later failure of the root cause opens another', async () => {
    const { service, addEntity, depends, fails, answers, incidents, named } = await from('09:30');
    const db = await addEntity('db', { interval_seconds: 120, failure_threshold: 3 });
    await depends(await addEntity('shop'), db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:42');
    answers('db', 'shop');
    await service.until('09:52');
    expect(await incidents()).toMatchObject([{ state: 'resolved', root_entity_id: db.entity.id }]);
    fails('db');
    await service.until('10:10');
    const [second, first] = await incidents();
    expect(second).toMatchObject({ state: 'open', root_entity_id: db.entity.id });
    expect(named().at(-1)).toBe(second!.id);
    expect(second!.id).not.toBe(first!.id);
  });

  it('includes failures without recipients', async () => {
    const { service, addEntity, depends, fails, incidents, incident, withoutRecipients } = await from('09:30');
    const db = await addEntity('db');
    const shop = await addEntity('shop');
    await withoutRecipients(shop);
    await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:43');
    const [found, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(names((await incident(found!.id)).entities)).toEqual(['db', 'shop']);
  });

  it('includes failures that are detected before their root cause, even if no channel is notified', async () => {
    const { service, addEntity, withoutRecipients, depends, fails, incidents, incident } = await from('09:30');
    const db = await addEntity('db', { failure_threshold: 3 });
    const dependents = await Promise.all(['shop', 'blog', 'mail'].map((name) => addEntity(name)));
    for (const one of dependents) await depends(one, db);
    for (const one of [db, ...dependents]) await withoutRecipients(one);
    await service.until('09:40');
    fails('db', 'shop', 'blog', 'mail');
    await service.until('09:45');
    const [found, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(names((await incident(found!.id)).entities)).toEqual(['blog', 'db', 'mail', 'shop']);
  });

  it('lists failures that turned out to have another cause', async () => {
    const { service, addEntity, depends, fails, answers, incidents, incident } = await from('09:30');
    const db = await addEntity('db');
    const shop = await addEntity('shop');
    await depends(shop, db);
    await service.until('09:40');
    fails('db', 'shop');
    await service.until('09:45');
    answers('db');
    await service.until('10:00');
    const [found] = await incidents();
    expect(found).toMatchObject({ state: 'open', root_entity_id: db.entity.id });
    expect((await incident(found!.id)).unrelated).toMatchObject([{ entity_id: shop.entity.id, check_id: shop.id }]);
  });

  it('acknowledges only failures with a sent alert, not held ones, when it is acknowledged', async () => {
    const { service, addEntity, depends, fails, incidents } = await from('09:30');
    const db = await addEntity('db');
    const [shop, blog] = [await addEntity('shop', { receiver: 'shop.test' }), await addEntity('blog')];
    for (const one of [shop, blog]) await depends(one, db);
    await service.until('09:40');
    fails('db', 'shop', 'blog');
    await service.until('09:43');
    const [{ id } = { id: '' }] = await incidents();
    await service.call('POST', `/v1/incidents/${id}/acknowledge`, { note: 'on it' });
    const noted = async ({ id }: Check) => (await service.call('GET', `/v1/checks/${id}`)).acknowledgement?.note;
    expect(await Promise.all([db, shop, blog].map(noted))).toEqual(['on it', 'on it', undefined]);
  });
});

describe('an incident', () => {
  it('continues while its entity flaps, and a new one opens after INCIDENT_QUIET_SECONDS without a failure', async () => {
    const { service, addEntity, fails, answers, incidents } = await from('09:30', { INCIDENT_QUIET_SECONDS: '600' });
    await addEntity('shop');
    await service.until('09:40');
    for (const time of ['09:42', '09:44', '09:50', '09:52', '09:54']) {
      fails('shop');
      await service.until(time);
      answers('shop');
      await service.until(`${time}:40`);
    }
    expect(await incidents()).toMatchObject([{ state: 'open' }]);
    await service.until('10:10');
    expect(await incidents()).toMatchObject([{ state: 'resolved' }]);
    expect((await incidents())[0]!.resolved_at).toMatch(/T09:54:/);
    fails('shop');
    await service.until('10:12');
    expect(await incidents()).toMatchObject([{ state: 'open' }, { state: 'resolved' }]);
  });

  it('opens at the end of a maintenance window instead of in it, for checks that are still down', async () => {
    const { service, addEntity, fails, answers, incidents, incident, named, withoutRecipients } = await from('09:30');
    const [shop, blog, mail] = [await addEntity('shop'), await addEntity('blog'), await addEntity('mail')];
    await withoutRecipients(mail);
    await service.call('POST', '/v1/windows', {
      ...{ name: 'patching', starts_at: '2026-11-21T09:35:00Z', ends_at: '2026-11-21T10:00:00Z', scope: { all: true } },
    });
    await service.until('09:40');
    fails('shop', 'blog', 'mail');
    await service.until('09:50');
    answers('blog');
    await service.until('09:59');
    expect(await incidents()).toEqual([]);
    await service.until('10:05');
    const found = await incidents();
    expect(found.map((one) => one.root_entity_id).toSorted()).toEqual([shop.entity.id, mail.entity.id].toSorted());
    const own = found.find((one) => one.root_entity_id === shop.entity.id)!;
    expect(named()).toEqual([own.id]);
    expect(await incident(own.id)).toMatchObject({ started_at: expect.stringMatching(/T09:40:/) });
    expect(await incidents(`?entity_id=${blog.entity.id}`)).toEqual([]);
  });

  it('ends when the failed check is deleted', async () => {
    const { service, addEntity, fails, incidents, incident } = await from('09:30');
    await addEntity('shop');
    await service.until('09:40');
    fails('shop');
    await service.until('09:45');
    await service.call('DELETE', '/v1/blueprints/service/entities/shop');
    await service.until('09:55');
    const [found] = await incidents();
    expect(found).toMatchObject({ state: 'resolved', resolved_by: 'automatic' });
    expect((await incident(found!.id)).entities).toMatchObject([
      { entity_name: 'shop', state: 'unknown', since: null },
    ]);
  });
});
