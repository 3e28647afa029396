import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { newEntity } from '#test/support/fleet.ts';

const ENTITIES = '/v1/blueprints/service/entities';
const RELATIONS = '/v1/relations';

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
});

async function entityOf(tenant: Client) {
  const entity = await newEntity(tenant);
  return { ...entity, path: `${ENTITIES}/${entity.slug}` };
}

type Entity = { id: string };
const relation = (from: Entity, to: Entity, relation_type = 'depends_on') => ({
  from_entity_id: from.id,
  to_entity_id: to.id,
  relation_type,
});

describe('DELETE an entity', () => {
  it('deletes it and frees its slug', async () => {
    const { path, slug, id } = await entityOf(admin);
    expect(await admin.del(path)).toMatchObject({ status: 204, body: undefined });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await admin.send(method, path, method === 'PUT' ? { body: {} } : {})).toMatchObject(
        failure(404, 'NOT_FOUND'),
      );
    }
    const again = await admin.post(ENTITIES, { slug, name: 'x' });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
  });

  it('deletes all its checks', async () => {
    const { path, id } = await entityOf(admin);
    const check = { entity_id: id, check_type: 'push', interval_seconds: 86_400 };
    const made = await Promise.all([1, 2, 3].map(() => admin.post('/v1/checks', check)));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await admin.del(path)).status).toBe(204);
    for (const one of made) {
      expect((await admin.get(`/v1/checks/${one.body.id}`)).status).toBe(404);
      expect((await admin.post(`/v1/checks/${one.body.id}/heartbeat`)).status).toBe(404);
    }
    const listed = (await admin.get('/v1/checks')).body.map((one: { id: string }) => one.id);
    for (const one of made) expect(listed).not.toContain(one.body.id);
  });

  it('leaves no check that is created concurrently', async () => {
    const { path, id } = await entityOf(admin);
    const check = { entity_id: id, check_type: 'push', interval_seconds: 86_400 };
    const [deleted, ...made] = await Promise.all([
      admin.del(path),
      ...Array.from({ length: 10 }, () => admin.post('/v1/checks', check)),
    ]);
    expect(deleted!.status).toBe(204);
    for (const { status, body } of made) {
      expect([201, 404]).toContain(status);
      if (status === 201) expect((await admin.get(`/v1/checks/${body.id}`)).status).toBe(404);
    }
  });

  it('succeeds for one of ten concurrent requests', async () => {
    const { path } = await entityOf(admin);
    const responses = await Promise.all(Array.from({ length: 10 }, () => admin.del(path)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, ...Array(9).fill(404)]);
  });
});

describe('DELETE an entity that has relations', () => {
  it('deletes its relations in both directions, and no others', async () => {
    const tenant = await newTenant();
    const [a, b, c] = [await entityOf(tenant), await entityOf(tenant), await entityOf(tenant)];
    const out = (await tenant.post(RELATIONS, relation(a, b))).body;
    const into = (await tenant.post(RELATIONS, relation(c, a))).body;
    const other = (await tenant.post(RELATIONS, relation(b, c))).body;
    expect((await tenant.del(a.path)).status).toBe(204);
    expect((await tenant.get(RELATIONS)).body).toEqual([other]);
    for (const { id } of [out, into]) {
      expect(await tenant.del(`${RELATIONS}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await tenant.post(RELATIONS, relation(a, b))).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('leaves no relation that is created concurrently', async () => {
    const tenant = await newTenant();
    const [a, b] = [await entityOf(tenant), await entityOf(tenant)];
    const [deleted, ...made] = await Promise.all([
      tenant.del(a.path),
      ...Array.from({ length: 10 }, (_, n) => tenant.post(RELATIONS, relation(n % 2 ? a : b, n % 2 ? b : a, `t${n}`))),
    ]);
    expect(deleted!.status).toBe(204);
    for (const { status } of made) expect([201, 404]).toContain(status);
    expect((await tenant.get(RELATIONS)).body).toEqual([]);
  });

  it('leaves no relation for a later entity with the same slug', async () => {
    const tenant = await newTenant();
    const [a, b] = [await entityOf(tenant), await entityOf(tenant)];
    await tenant.post(RELATIONS, relation(a, b));
    await tenant.del(a.path);
    const recreated = (await tenant.post(ENTITIES, { slug: a.slug, name: 'Recreated' })).body;
    expect((await tenant.get(RELATIONS)).body).toEqual([]);
    expect((await tenant.post(RELATIONS, relation({ ...a, id: recreated.id }, b))).status).toBe(201);
  });
});
