import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { registerCatalogOps, toolResult } from '#test/support/mcp.ts';

const SLOS = '/v1/slos';

let client: Client;
let entity: { id: string; slug: string };
let check: string;
beforeAll(async () => {
  client = await newTenant();
  entity = await newEntity(client);
  check = (await newCheck(client, { entity_id: entity.id, failure_threshold: 1 })).id;
  got(await client.post(`/v1/checks/${check}/results`, { success: true, latency_ms: 5 }), 201);
});

const sloBody = (slug: string, more: object = {}) => ({ slug, name: 'Shop', check_id: check, target: 0.999, ...more });

describe('an SLO', () => {
  it('is created, measured, changed and deleted', async () => {
    const made = got(await client.post(SLOS, sloBody('shop')), 201);
    expect(made).toMatchObject({ ...sloBody('shop'), entity_id: null, window: '30d', degraded_is_down: false });
    const { missing, status, ...record } = got(await client.get(`${SLOS}/${made.id}`), 200);
    expect(record).toEqual(made);
    expect(missing).toBe(false);
    expect(status).toMatchObject({ sli: 1, budget_seconds: 2592, consumed_seconds: 0, state: 'healthy' });
    expect(Date.parse(status.known_since)).toBeGreaterThan(Date.parse(status.from));
    const changed = got(await client.put(`${SLOS}/${made.id}`, { ...made, slug: 'store', window: '7d' }), 200);
    expect(changed).toMatchObject({ id: made.id, slug: 'store', window: '7d' });
    expect(got(await client.get(`${SLOS}?check_id=${check}`), 200)).toEqual([changed]);
    expect(got(await client.get(`${SLOS}?entity_id=${entity.id}`), 200)).toEqual([]);
    got(await client.del(`${SLOS}/${made.id}`), 204);
    expect(await client.get(`${SLOS}/${made.id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    const { body: log } = await client.get('/v1/audit?action=slo.');
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['slo.delete', 'slo.update', 'slo.create']);
  });

  it('is returned with its error budget by the tool list_slos', async () => {
    const agent = await newTenant();
    await registerCatalogOps(agent);
    const { id } = await newCheck(agent);
    const made = got(await agent.post(SLOS, sloBody('shop', { check_id: id })), 201);
    got(await agent.post(SLOS, sloBody('other', { check_id: id })), 201);
    const { slos, truncated } = await toolResult(agent, 'list_slos', { slug: 'shop' });
    expect(slos).toEqual([{ ...made, missing: false, status: expect.objectContaining({ state: 'no_data' }) }]);
    expect(truncated).toBeUndefined();
  });

  it('counts downtime against the budget, but not in a maintenance window', async () => {
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    const slo = got(await client.post(SLOS, sloBody('late', { check_id: id, window: '7d' })), 201);
    for (const success of [true, false])
      got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5 }), 201);
    const before = got(await client.get(`${SLOS}/${slo.id}`), 200).status;
    expect(before.consumed_seconds).toBeGreaterThan(0);
    const times = { starts_at: new Date(Date.now() - 7_200_000).toISOString() };
    const ends_at = new Date(Date.now() + 7_200_000).toISOString();
    got(await client.post('/v1/windows', { name: 'work', scope: { check_ids: [id] }, ...times, ends_at }), 201);
    expect(got(await client.get(`${SLOS}/${slo.id}`), 200).status).toMatchObject({ sli: null, state: 'no_data' });
    const { total } = got(await client.get(`/v1/checks/${id}/history?bucket=hour`), 200);
    expect(total.seconds).toMatchObject({ down: 0, up: 0 });
    expect(total.seconds.maintenance).toBeGreaterThanOrEqual(total.down_in_maintenance_seconds);
    expect(total.down_in_maintenance_seconds).toBeGreaterThan(0);
  });

  it('has no data after its entity was deleted', async () => {
    const gone = await newEntity(client);
    const slo = got(await client.post(SLOS, sloBody('gone', { check_id: undefined, entity_id: gone.id })), 201);
    expect(got(await client.get(`${SLOS}/${slo.id}`), 200).status).toMatchObject({
      known_since: null,
      state: 'no_data',
    });
    got(await client.del(`/v1/blueprints/service/entities/${gone.slug}`), 204);
    const { missing, status } = got(await client.get(`${SLOS}/${slo.id}`), 200);
    expect([missing, status.state, status.sli, status.coverage]).toEqual([true, 'no_data', null, null]);
  });

  it.each([
    ['neither a check nor an entity', { check_id: undefined }, 'check_id'],
    ['both a check and an entity', { entity_id: 'ent_x' }, 'entity_id'],
    ['a target of 1', { target: 1 }, 'target'],
    ['a target below 0.5', { target: 0.49 }, 'target'],
    ['six decimals', { target: 0.999999 - 0.00001 }, 'target'],
    ['an unknown window', { window: '31d' }, 'window'],
    ['an invalid slug', { slug: 'a b' }, 'slug'],
    ['an unknown property', { budget: 5 }, 'budget'],
  ])('is rejected with %s', async (_what, wrong, path) => {
    expect(await client.post(SLOS, sloBody('x', wrong))).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('can have any slug, such as constructor', async () => {
    const { id } = got(await client.post(SLOS, sloBody('constructor')), 201);
    expect(await client.post(SLOS, sloBody('constructor'))).toMatchObject(failure(409, 'CONFLICT'));
    got(await client.del(`${SLOS}/${id}`), 204);
  });

  it('needs an existing check, a free slug, and the scope write', async () => {
    const other = await newTenant();
    const foreign = (await newCheck(other)).id;
    expect(await client.post(SLOS, sloBody('x', { check_id: foreign }))).toMatchObject(failure(404, 'NOT_FOUND'));
    const { id } = got(await client.post(SLOS, sloBody('first')), 201);
    const second = got(await client.post(SLOS, sloBody('second')), 201);
    expect(await client.post(SLOS, sloBody('first'))).toMatchObject(failure(409, 'CONFLICT'));
    expect(await client.put(`${SLOS}/${second.id}`, { slug: 'first' })).toMatchObject(failure(409, 'CONFLICT'));
    expect(await client.put(`${SLOS}/${id}`, { check_id: foreign })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'check_id'),
    );
    expect(await other.get(`${SLOS}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    const respond = await keyOf(client, { scopes: ['respond'] });
    expect(await respond.put(`${SLOS}/${id}`, { target: 0.9 })).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it('is limited to 100 per account, even for concurrent requests', async () => {
    const busy = await newTenant();
    const { id } = await newCheck(busy);
    for (let batch = 0; batch < 12; batch++) {
      await Promise.all(
        Array.from({ length: 9 }, (_, i) => busy.post(SLOS, sloBody(`s${batch}-${i}`, { check_id: id }))),
      );
    }
    expect(got(await busy.get(SLOS), 200)).toHaveLength(100);
    expect(await busy.post(SLOS, sloBody('more', { check_id: id }))).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
  });
});
