import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, TIME } from '#test/support/client.ts';
import { type Entity, entityOf, relation, tenantWithBlueprint } from '#test/support/relation-world.ts';

const ALL = '/v1/relations';

let admin: Client;
let web: Entity;
let db: Entity;
beforeAll(async () => {
  admin = await tenantWithBlueprint();
  [web, db] = [await entityOf(admin), await entityOf(admin)];
});

const ids = async (tenant: Client): Promise<string[]> =>
  (await tenant.get(ALL)).body.map((one: { id: string }) => one.id);

describe('POST /v1/relations', () => {
  it('returns the record and lists it', async () => {
    const made = await admin.post(ALL, relation(web, db));
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^rel_/),
      ...relation(web, db),
      from_entity: 'service/e-1',
      to_entity: 'service/e-2',
      propagates_failure: true,
      group: null,
      required: null,
      when: 'down',
      created_at: TIME,
    });
    expect((await admin.get(ALL)).body).toContainEqual(made.body);
  });

  it.each(['a', 'a_b', 'runs_on_2', 'x'.repeat(50)])('accepts the type %s', async (type) => {
    expect((await admin.post(ALL, relation(web, db, type))).status).toBe(201);
  });

  it.each([
    ['no first entity', { from_entity_id: undefined }, 'from_entity_id'],
    ['a null as first entity', { from_entity_id: null }, 'from_entity_id'],
    ['a number as first entity', { from_entity_id: 7 }, 'from_entity_id'],
    ['no second entity', { to_entity_id: undefined }, 'to_entity_id'],
    ['a list of second entities', { to_entity_id: ['ent_1', 'ent_2'] }, 'to_entity_id'],
    ['no type', { relation_type: undefined }, 'relation_type'],
    ['an empty type', { relation_type: '' }, 'relation_type'],
    ['a type in capitals', { relation_type: 'Depends_on' }, 'relation_type'],
    ['a type with a hyphen', { relation_type: 'depends-on' }, 'relation_type'],
    ['a type with a #', { relation_type: 'a#b' }, 'relation_type'],
    ['a type that begins with a digit', { relation_type: '1st' }, 'relation_type'],
    ['a type that begins with _', { relation_type: '_a' }, 'relation_type'],
    ['a type with a line break at its end', { relation_type: 'a\n' }, 'relation_type'],
    ['a type of 51 characters', { relation_type: 'x'.repeat(51) }, 'relation_type'],
    ['a number as type', { relation_type: 1 }, 'relation_type'],
  ])('rejects %s', async (_name, change, path) => {
    expect(await admin.post(ALL, { ...relation(web, db, 'bad'), ...change })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });

  it('rejects a relation of an entity to itself', async () => {
    expect(await admin.post(ALL, relation(web, web))).toMatchObject(failure(400, 'VALIDATION_ERROR', 'to_entity_id'));
  });

  it.each(['ent_00000000000000000000000000', 'none', '', 'a#b', 'ü', 'x'.repeat(5000)])(
    'returns 404 for the entity "%.20s"',
    async (id) => {
      const none = { id, path: '' };
      for (const body of [relation(web, none), relation(none, web)]) {
        expect(await admin.post(ALL, body)).toMatchObject(failure(404, 'NOT_FOUND'));
      }
    },
  );

  it('rejects a second relation with the same type and direction, but accepts the reverse or another type', async () => {
    const [a, b] = [await entityOf(admin), await entityOf(admin)];
    const first = await admin.post(ALL, relation(a, b));
    const second = await admin.post(ALL, relation(a, b));
    expect(second).toMatchObject(failure(409, 'CONFLICT'));
    expect(second.body.error).toContain(first.body.id);
    expect((await admin.post(ALL, relation(b, a))).status).toBe(201);
    expect((await admin.post(ALL, relation(a, b, 'hosts'))).status).toBe(201);
  });

  it('creates one of 50 concurrent duplicates', async () => {
    const tenant = await tenantWithBlueprint();
    const [a, b] = [await entityOf(tenant), await entityOf(tenant)];
    const responses = await Promise.all(Array.from({ length: 50 }, () => tenant.post(ALL, relation(a, b))));
    const made = responses.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect(responses.filter(({ body: { code } }) => code === 'CONFLICT')).toHaveLength(49);
    expect((await tenant.get(ALL)).body).toEqual([made[0]!.body]);
  });

  it('creates all of 50 concurrent relations of one entity', async () => {
    const tenant = await tenantWithBlueprint();
    const hub = await entityOf(tenant);
    const others = await Promise.all(Array.from({ length: 50 }, () => entityOf(tenant)));
    const responses = await Promise.all(others.map((other) => tenant.post(ALL, relation(hub, other))));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect((await ids(tenant)).toSorted()).toEqual(responses.map(({ body }) => body.id).toSorted());
  });
});

describe('GET /v1/relations', () => {
  it('returns an empty list first, then all, oldest first, in pages', async () => {
    const tenant = await tenantWithBlueprint();
    expect(await tenant.get(ALL)).toMatchObject({ status: 200, body: [] });
    const [a, b] = [await entityOf(tenant), await entityOf(tenant)];
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.push((await tenant.post(ALL, relation(a, b, `t${n}`))).body.id);
    const seen: string[] = [];
    const pages: number[] = [];
    for (let next: string | undefined = `${ALL}?limit=3`; next; ) {
      const page = await tenant.get(next);
      seen.push(...page.body.map((one: { id: string }) => one.id));
      pages.push(page.body.length);
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual([3, 3, 1]);
    expect(seen).toEqual(made.toSorted());
    expect((await tenant.get(`${ALL}?limit=7`)).headers.get('link')).toBeNull();
  });

  it.each(['limit=0', 'limit=x', 'cursor=garbled', 'cursor='])('rejects %s', async (query) => {
    expect(await admin.get(`${ALL}?${query}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', query.slice(0, query.indexOf('='))),
    );
  });
});

describe('DELETE /v1/relations/{id}', () => {
  it('deletes a relation, which can then be created again', async () => {
    const [a, b] = [await entityOf(admin), await entityOf(admin)];
    const { id } = (await admin.post(ALL, relation(a, b))).body;
    expect(await admin.del(`${ALL}/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await ids(admin)).not.toContain(id);
    expect(await admin.del(`${ALL}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    const again = await admin.post(ALL, relation(a, b));
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
  });

  it('succeeds for one of ten concurrent requests and keeps a relation that is created again', async () => {
    const [a, b] = [await entityOf(admin), await entityOf(admin)];
    const { id } = (await admin.post(ALL, relation(a, b))).body;
    const [deletions, creations] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => admin.del(`${ALL}/${id}`))),
      Promise.all(Array.from({ length: 10 }, () => admin.post(ALL, relation(a, b)))),
    ]);
    expect(deletions.map(({ status }) => status).toSorted()).toEqual([204, ...Array(9).fill(404)]);
    const recreated = creations.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(recreated.length).toBeLessThanOrEqual(1);
    const between = (await admin.get(ALL)).body.filter(
      (one: { from_entity_id: string }) => one.from_entity_id === a.id,
    );
    expect(between.map((one: { id: string }) => one.id)).toEqual(recreated);
    expect((await admin.post(ALL, relation(a, b))).status).toBe(recreated.length === 1 ? 409 : 201);
  });

  it.each(['rel_00000000000000000000000000', 'none', 'a%23b', 'x'.repeat(300)])('returns 404 for %.30s', async (id) => {
    expect(await admin.del(`${ALL}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('relations', () => {
  it('can be read but not changed with a read-only key', async () => {
    const reader = await keyOf(admin, { is_read_only: true });
    const list = (await admin.get(ALL)).body;
    expect(await reader.get(ALL)).toMatchObject({ status: 200, body: list });
    expect(await reader.post(ALL, relation(web, db, 'blocked'))).toMatchObject(failure(403, 'READ_ONLY'));
    expect(await reader.del(`${ALL}/${list[0].id}`)).toMatchObject(failure(403, 'READ_ONLY'));
  });

  it('return the same 404 for a relation of another account as for an unknown id', async () => {
    const other = await tenantWithBlueprint();
    const [foreignEntity, another] = [await entityOf(other), await entityOf(other)];
    const { id } = (await other.post(ALL, relation(foreignEntity, another))).body;
    expect(await ids(admin)).not.toContain(id);
    const none = await admin.del(`${ALL}/rel_00000000000000000000000000`);
    const foreign = await admin.del(`${ALL}/${id}`);
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(foreign.body.error.replace(id, '')).toBe(none.body.error.replace('rel_00000000000000000000000000', ''));
    for (const body of [relation(web, foreignEntity), relation(foreignEntity, web)]) {
      expect(await admin.post(ALL, body)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await ids(other)).toEqual([id]);
    const link = (await other.post(ALL, relation(another, foreignEntity))) && (await other.get(`${ALL}?limit=1`));
    const cursor = /cursor=([^>&]+)/.exec(link.headers.get('link')!)![1];
    expect(await admin.get(`${ALL}?cursor=${cursor}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
  });

  it.each([
    ['PUT', ALL, 'GET, HEAD, POST'],
    ['GET', `${ALL}/rel_1`, 'DELETE'],
  ])('return 405 for %s %s', async (method, path, allow) => {
    const response = await admin.send(method, path);
    expect(response).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'));
    expect(response.headers.get('allow')).toBe(allow);
  });
});
