import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { everything, got, newEntity } from '#test/support/fleet.ts';

type Entity = { id: string; slug: string };

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const relate = async (from: Entity, to: Entity, relation_type: string) =>
  got(await client.post('/v1/relations', { from_entity_id: from.id, to_entity_id: to.id, relation_type }), 201);
const pathOf = ({ id }: Pick<Entity, 'id'>, query = '') => `/v1/relations?entity_id=${id}${query}`;
const remove = async ({ slug }: Entity) => got(await client.del(`/v1/blueprints/service/entities/${slug}`), 204);

describe('GET /v1/relations?entity_id=', () => {
  it('returns the incoming relations first, then the outgoing, in pages', async () => {
    const [hub, a, b] = [await newEntity(client), await newEntity(client), await newEntity(client)];
    expect(got(await client.get(pathOf(hub)), 200)).toEqual([]);
    const out = await relate(hub, a, 'depends_on');
    const hosts = await relate(b, hub, 'hosts');
    const calls = await relate(a, hub, 'calls');
    const callsOut = await relate(hub, b, 'calls');
    await relate(a, b, 'depends_on');
    const ordered = [calls, hosts, callsOut, out];
    expect(got(await client.get(pathOf(hub)), 200)).toEqual(ordered);
    for (const limit of [1, 3, 4]) expect(await everything(client, pathOf(hub, `&limit=${limit}`))).toEqual(ordered);
    got(await client.del(`/v1/relations/${hosts.id}`), 204);
    expect(got(await client.get(pathOf(hub)), 200)).toEqual([calls, callsOut, out]);
    await remove(b);
    expect(got(await client.get(pathOf(hub)), 200)).toEqual([calls, out]);
  });

  it('returns 404 for an entity of another account, an unknown one and a deleted one', async () => {
    const stranger = await newTenant();
    const gone = await newEntity(client);
    await remove(gone);
    for (const entity of [await newEntity(stranger), gone, { id: '' }, { id: 'none' }, { id: 'rel_1' }]) {
      expect(await client.get(pathOf(entity))).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });

  it('rejects a cursor of another entity, or of all relations', async () => {
    const [a, b] = [await newEntity(client), await newEntity(client)];
    for (const type of ['x', 'y']) await relate(a, b, type);
    const cursor = /cursor=([^>&]+)/.exec((await client.get(pathOf(a, '&limit=1'))).headers.get('link')!)![1];
    for (const path of [pathOf(b, `&cursor=${cursor}`), `/v1/relations?cursor=${cursor}`]) {
      expect(await client.get(path)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
    }
  });
});
