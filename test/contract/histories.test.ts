import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { expectWhole, type Json } from '#test/support/sound-history.ts';

const DAY = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

let client: Client;
let entity: { id: string; slug: string };
let id: string;
beforeAll(async () => {
  client = await newTenant();
  entity = await newEntity(client);
  id = (await newCheck(client, { entity_id: entity.id })).id;
  await newCheck(client, { entity_id: entity.id });
  got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
});

describe('GET /v1/history', () => {
  const many = (query: string) => client.get(`/v1/history${query}`);

  it('returns checks in the requested order, each once, with the data of its own history endpoint', async () => {
    const { id: other } = await newCheck(client);
    const { checks } = got(await many(`?check_ids=${other},${id},${other}&bucket=hour`), 200);
    expect(checks.map(({ check_id }: Json) => check_id)).toEqual([other, id]);
    for (const one of checks) expectWhole(one);
    const single = got(await client.get(`/v1/checks/${id}/history?bucket=hour&from=${checks[1].from}`), 200);
    expect(checks[1].total.runs).toBe(single.total.runs);
  });

  it('returns all checks of an entity', async () => {
    const { checks } = got(await many(`?entity_id=${entity.id}`), 200);
    expect(checks.map(({ check_id }: Json) => check_id)).toContain(id);
    expect(checks).toHaveLength(2);
    const { id: empty } = await newEntity(client);
    expect(got(await many(`?entity_id=${empty}`), 200)).toEqual({ checks: [] });
  });

  it('returns entities in the requested order, each once, with the data of its own history endpoint', async () => {
    const empty = await newEntity(client);
    const query = `entity_ids=${empty.id},${entity.id},${empty.id}&bucket=hour`;
    const { entities, ...others } = got(await many(`?${query}`), 200);
    expect(others).toEqual({});
    expect(entities.map(({ entity_id }: Json) => entity_id)).toEqual([empty.id, entity.id]);
    for (const one of entities) expectWhole(one);
    const span = `bucket=hour&from=${entities[1].from}`;
    const path = `/v1/blueprints/service/entities/${entity.slug}/history`;
    const single = got(await client.get(`${path}?${span}`), 200);
    expect(entities[1]).toMatchObject({ entity_name: single.entity_name, bucket: 'hour', from: single.from });
    expect(entities[1].buckets).toHaveLength(single.buckets.length);
    expect(entities[1].total).toMatchObject({ runs: single.total.runs, uptime: single.total.uptime });
    expect(entities[1].total.runs).toBeGreaterThan(0);
    expect(entities[0].total).toMatchObject({ runs: 0, uptime: null });
  });

  it('returns the mean latency of the checks of an entity by hour, if requested', async () => {
    const measured = await newEntity(client);
    for (const latency_ms of [100, 300]) {
      const check = await newCheck(client, { entity_id: measured.id });
      got(await client.post(`/v1/checks/${check.id}/results`, { success: true, latency_ms }), 201);
    }
    const latest = async (query: string) =>
      got(await many(`?entity_ids=${measured.id}&bucket=hour${query}`), 200).entities[0].total;
    expect(await latest('&latency=true')).toMatchObject({ mean_latency_ms: 200 });
    expect(await latest('')).toMatchObject({ mean_latency_ms: null });
    const byDay = await many(`?entity_ids=${measured.id}&latency=true`);
    expect(byDay).toMatchObject(failure(400, 'VALIDATION_ERROR', 'latency'));
    expect(byDay.body.details[0].message).toContain('needs bucket=hour');
  });

  const ids = (count: number, prefix = 'chk') => Array.from({ length: count }, (_, i) => `${prefix}_${i}`).join(',');

  it.each<[string, () => string, string, string]>([
    ['neither checks nor an entity', () => '', 'check_ids', 'entity_id'],
    ['an empty list of checks', () => '?check_ids=', 'check_ids', 'must contain an id'],
    ['an empty list of entities', () => '?entity_ids=,', 'entity_ids', 'must contain an id'],
    ['one entity and several', () => `?entity_id=${entity.id}&entity_ids=${entity.id}`, 'entity_id', 'entity_ids'],
    ['checks and entities', () => `?check_ids=${id}&entity_ids=${entity.id}`, 'check_ids', 'entity_ids'],
    ['51 entities', () => `?entity_ids=${ids(51, 'ent')}`, 'entity_ids', 'more than 50'],
    ['check_ids and entity_id', () => `?check_ids=${id}&entity_id=${entity.id}`, 'check_ids', 'entity_id'],
    ['51 checks', () => `?check_ids=${ids(51)}`, 'check_ids', 'more than 50'],
    ['from after to', () => `?check_ids=${id}&from=${ago(0)}&to=${ago(DAY)}`, 'from', 'before to'],
  ])('rejects %s', async (_what, query, path, said) => {
    const response = await many(query());
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(response.body.details[0].message).toContain(said);
  });

  it('rejects more buckets than a response can hold', async () => {
    const other = await newTenant();
    const made = await Promise.all(Array.from({ length: 6 }, async () => (await newCheck(other)).id));
    const response = await other.get(`/v1/history?check_ids=${made}&bucket=hour&from=${ago(40 * DAY)}`);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'bucket'));
    expect(response.body.details[0].message).toContain('exceed the maximum of 5000');
  });

  it('returns 404 for another account and unknown ids', async () => {
    const other = await newTenant();
    for (const query of [
      `?check_ids=${id}`,
      `?entity_id=${entity.id}`,
      `?entity_ids=${entity.id}`,
      '?check_ids=chk_none',
      '?entity_id=x',
      '?entity_ids=ent_none',
    ]) {
      expect(await other.get(`/v1/history${query}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });
});
