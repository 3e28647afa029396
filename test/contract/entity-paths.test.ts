import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newBlueprint, newEntity } from '#test/support/fleet.ts';

let client: Client;
let shop: { id: string; slug: string };
let other: { id: string; slug: string };
beforeAll(async () => {
  client = await newTenant();
  [shop, other] = [await newEntity(client), await newEntity(client)];
});

const pathOf = ({ slug }: { slug: string }) => `service/${slug}`;

const INVALID_PATHS = ['service', 'service/', '/shop', 'service/shop/x', 'ser vice/shop', '', '../x', 'a/b:c'];

describe('GET /v1/entities/{id}', () => {
  it('returns the same record as the creation, with default values', async () => {
    const blueprint = await newBlueprint(client, {
      fields: [{ name: 'tier', field_type: 'number', default_value: '3' }],
    });
    const made = got(await client.post(`/v1/blueprints/${blueprint}/entities`, { slug: 'x', name: 'X' }), 201);
    expect(got(await client.get(`/v1/entities/${made.id}`), 200)).toEqual(made);
    expect(made.fields).toEqual({ tier: 3 });
  });

  it('returns 404 for another account, a deleted entity and an invalid id', async () => {
    const gone = await newEntity(client);
    got(await client.del(`/v1/blueprints/service/entities/${gone.slug}`), 204);
    const foreign = await newEntity(await newTenant());
    for (const id of [gone.id, foreign.id, shop.slug, 'ent_none', 'chk_1', '%00']) {
      expect(await client.get(`/v1/entities/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });
});

describe('a check created with an entity path', () => {
  const make = (named: object) => client.post('/v1/checks', { check_type: 'push', ...named });

  it('shows id and path of its entity in every response', async () => {
    const both = { entity_id: shop.id, entity: pathOf(shop) };
    const check = got(await make({ entity: pathOf(shop) }), 201);
    expect(check).toMatchObject(both);
    expect(got(await make(both), 201)).toMatchObject(both);
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject(both);
    expect(got(await client.put(`/v1/checks/${check.id}`, { name: 'x', ...both }), 200)).toMatchObject(both);
    const listed = got(await client.get(`/v1/checks?entity=${pathOf(shop)}`), 200);
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject(both);
  });

  it.each(INVALID_PATHS)('is rejected for the path "%s"', async (entity) => {
    expect(await make({ entity })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'entity'));
    expect(await client.get(`/v1/checks?entity=${encodeURIComponent(entity)}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'entity'),
    );
  });

  it('is rejected for an unknown path, and for a path and an id of different entities', async () => {
    const stranger = await newTenant();
    for (const entity of ['service/none', `none/${shop.slug}`]) {
      expect(await make({ entity })).toMatchObject(failure(404, 'NOT_FOUND'));
      expect(await client.get(`/v1/checks?entity=${entity}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await stranger.post('/v1/checks', { check_type: 'push', entity: pathOf(shop) })).toMatchObject(
      failure(404, 'NOT_FOUND'),
    );
    const two = { entity: pathOf(shop), entity_id: other.id };
    expect(await make(two)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'entity'));
    expect(await client.get(`/v1/checks?${new URLSearchParams(two)}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'entity'),
    );
    expect(await make({})).toMatchObject(failure(400, 'VALIDATION_ERROR', 'entity_id'));
  });

  it('stays on its entity', async () => {
    const check = got(await make({ entity: pathOf(shop) }), 201);
    for (const entity of [pathOf(other), 'service/none', 'service']) {
      expect(await client.put(`/v1/checks/${check.id}`, { entity })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'entity'),
      );
    }
  });

  it('cannot have an entity in a settings test', async () => {
    const body = { check_type: 'http', target_url: 'http://127.77.0.1:9/', entity: pathOf(shop) };
    expect(await client.post('/v1/checks/test', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'entity'));
  });
});

describe('a relation created with entity paths', () => {
  const relate = (body: object) => client.post('/v1/relations', { relation_type: 'depends_on', ...body });

  it('shows ids and paths of its entities in every response', async () => {
    const both = {
      from_entity_id: shop.id,
      from_entity: pathOf(shop),
      to_entity_id: other.id,
      to_entity: pathOf(other),
    };
    const made = got(await relate({ from_entity: pathOf(shop), to_entity: pathOf(other) }), 201);
    expect(made).toMatchObject(both);
    expect(got(await client.get('/v1/relations'), 200)).toContainEqual(made);
    expect(got(await client.get(`/v1/relations?entity_id=${other.id}`), 200)).toContainEqual(made);
    expect(got(await relate({ ...both, relation_type: 'hosts' }), 201)).toMatchObject(both);
  });

  it.each<[string, object, number, string]>([
    ['no entity at its start', { from_entity_id: undefined }, 400, 'from_entity_id'],
    ['no entity at its end', { to_entity_id: undefined }, 400, 'to_entity_id'],
    ['a path without a slug', { from_entity: 'service' }, 400, 'from_entity'],
    ['a path and an id of different entities', { to_entity: 'PATH_OF_SHOP' }, 400, 'to_entity'],
    ['an unknown path', { to_entity_id: undefined, to_entity: 'service/none' }, 404, ''],
    [
      'the same entity at both ends, by id and by path',
      { to_entity_id: undefined, to_entity: 'PATH_OF_SHOP' },
      400,
      'to_entity_id',
    ],
  ])('is rejected: %s', async (_name, change, status, path) => {
    const body: Record<string, unknown> = { from_entity_id: shop.id, to_entity_id: other.id, ...change };
    if (body.to_entity === 'PATH_OF_SHOP') body.to_entity = pathOf(shop);
    const response = await relate({ ...body, relation_type: 'refused' });
    expect(response).toMatchObject(status === 404 ? failure(404, 'NOT_FOUND') : failure(400, 'VALIDATION_ERROR', path));
  });
});
