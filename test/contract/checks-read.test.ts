import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

describe('GET /v1/checks/{id}', () => {
  it('includes last_result, last_checked_at and stale', async () => {
    const check = await newCheck(client, { check_type: 'http', target_url: 'http://127.77.0.1:9/', enabled: false });
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toEqual({
      ...check,
      last_result: null,
      last_checked_at: null,
      stale: false,
    });
  });

  it.each([
    ['the default grace time', {}, 2 * 60 + 2 * 60],
    ['its own grace time', { config: { grace_seconds: 90 } }, 90 + 2 * 60],
    ['a threshold of 1', { failure_threshold: 1, config: { grace_seconds: 7 } }, 7],
    ['another interval', { interval_seconds: 10, failure_threshold: 2 }, 20 + 10],
  ])('computes the time from the last heartbeat to an alert: %s', async (_name, settings, seconds) => {
    const check = await newCheck(client, settings);
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject({ alerts_after_seconds: seconds });
  });

  it.each(['nonsense', 'chk_', 'chk_00000000000000000000000000', 'ent_1', '%00', 'a%2Fb', 'CHK_1', '..'])(
    'returns 404 for the check %s',
    async (id) => {
      expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    },
  );
});

describe('GET /v1/checks', () => {
  it('lists every check once, in pages of any size', async () => {
    const own = await newTenant();
    expect(got(await own.get('/v1/checks'), 200)).toEqual([]);
    const entities = await Promise.all([1, 2, 3].map(() => newEntity(own)));
    const made = [];
    for (const [i, entity] of entities.entries()) {
      for (let n = 0; n <= i * 2; n++) made.push((await newCheck(own, { entity_id: entity.id })).id);
    }
    const whole = got(await own.get('/v1/checks'), 200);
    expect(whole.map((check: { id: string }) => check.id).sort()).toEqual(made.sort());
    for (const limit of [1, 2, 4, 9, 10]) expect(await everything(own, `/v1/checks?limit=${limit}`)).toEqual(whole);
    expect((await own.get('/v1/checks')).headers.get('link')).toBeNull();
  });

  it('rejects a cursor of another account or another list', async () => {
    const [own, other] = [await newTenant(), await newTenant()];
    const entity = await newEntity(own);
    for (const _ of [1, 2]) await newCheck(own, { entity_id: entity.id });
    const link = (await own.get('/v1/checks?limit=1')).headers.get('link');
    const cursor = /cursor=([^&>]+)/.exec(link ?? '')![1];
    expect(await own.get(`/v1/checks?cursor=${cursor}`)).toMatchObject({
      status: 200,
      body: [{ entity_id: entity.id }],
    });
    for (const response of [
      await other.get(`/v1/checks?cursor=${cursor}`),
      await own.get(`/v1/blueprints?cursor=${cursor}`),
    ]) {
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
    }
  });

  it.each([
    ['a limit of 0', 'limit=0', 'limit'],
    ['a limit that is not a number', 'limit=ten', 'limit'],
    ['a negative limit', 'limit=-1', 'limit'],
    ['a garbled cursor', 'cursor=%00x', 'cursor'],
    ['an empty cursor', 'cursor=', 'cursor'],
  ])('rejects %s', async (_name, query, path) => {
    expect(await client.get(`/v1/checks?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});

describe('GET /v1/checks?entity_id=', () => {
  it('lists only the checks of that entity, in pages of any size', async () => {
    const own = await newTenant();
    const [entity, other] = [await newEntity(own), await newEntity(own)];
    const path = `/v1/checks?entity_id=${entity.id}`;
    expect(got(await own.get(path), 200)).toEqual([]);
    await newCheck(own, { entity_id: other.id });
    // For ten or more checks, the service reads the whole cell, which also contains the check of the other entity.
    for (const count of [3, 12]) {
      for (let n = got(await own.get(path), 200).length; n < count; n++) await newCheck(own, { entity_id: entity.id });
      const all = got(await own.get('/v1/checks'), 200);
      const whole = all.filter((check: { entity_id: string }) => check.entity_id === entity.id);
      expect(whole).toHaveLength(count);
      expect(got(await own.get(path), 200)).toEqual(whole);
      for (const limit of [1, 2, count]) expect(await everything(own, `${path}&limit=${limit}`)).toEqual(whole);
    }
    const [first] = got(await own.get(`${path}&last_result=true`), 200);
    expect(first).toMatchObject({ last_result: null });
  });

  it('returns 404 for an entity of another account, an unknown one and a deleted one', async () => {
    const stranger = await newTenant();
    const gone = await newEntity(client);
    got(await client.del(`/v1/blueprints/service/entities/${gone.slug}`), 204);
    for (const id of [(await newEntity(stranger)).id, gone.id, '', 'ent_none', 'chk_1', '%00']) {
      expect(await client.get(`/v1/checks?entity_id=${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });

  it('rejects a cursor of another entity or of all checks', async () => {
    const [one, two] = [await newEntity(client), await newEntity(client)];
    for (const { id } of [one, one, two, two]) await newCheck(client, { entity_id: id });
    const cursorOf = async (path: string) =>
      /cursor=([^>&]+)/.exec((await client.get(`${path}limit=1`)).headers.get('link')!)![1];
    const own = `/v1/checks?entity_id=${one.id}&`;
    for (const path of ['/v1/checks?', `/v1/checks?entity_id=${two.id}&`]) {
      expect(await client.get(`${own}cursor=${await cursorOf(path)}`)).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'cursor'),
      );
    }
  });
});

describe('another tenant', () => {
  it('cannot see or change a check and gets the same error as for an unknown one', async () => {
    const stranger = await newTenant();
    const { id, entity_id } = await newCheck(client);
    const none = 'chk_00000000000000000000000000';
    const requestsFor = (check: string) => [
      stranger.get(`/v1/checks/${check}`),
      stranger.put(`/v1/checks/${check}`, { name: 'mine' }),
      stranger.del(`/v1/checks/${check}`),
      stranger.get(`/v1/checks/${check}/results`),
      stranger.post(`/v1/checks/${check}/results`, { success: true, latency_ms: 1 }),
      stranger.post(`/v1/checks/${check}/heartbeat`),
    ];
    const [foreign, unknown] = await Promise.all([Promise.all(requestsFor(id)), Promise.all(requestsFor(none))]);
    for (const [i, response] of foreign.entries()) {
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
      expect(response.body.error.replaceAll(id, none)).toBe(unknown[i]!.body.error);
    }
    expect(await stranger.post('/v1/checks', { entity_id, check_type: 'push' })).toMatchObject(
      failure(404, 'NOT_FOUND'),
    );
    expect(got(await stranger.get('/v1/checks'), 200)).toEqual([]);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({ id, name: null });
  });
});

describe('a read-only key', () => {
  it('reads checks without their secrets and cannot change them', async () => {
    const reader = await keyOf(client, { is_read_only: true });
    const { id, entity_id } = await newCheck(client, {
      check_type: 'http',
      target_url: 'http://127.77.0.1:9/pay?token=s3cret#s3cret',
      enabled: false,
      config: { headers: { Authorization: 'Bearer s3cret', 'X-Env': 's3cret' }, body: 's3cret' },
    });
    const shown = {
      target_url: 'http://127.77.0.1:9/pay?********',
      config: { headers: { Authorization: '********', 'X-Env': '********' }, body: '********' },
    };
    const one = await reader.get(`/v1/checks/${id}`);
    expect(got(one, 200)).toMatchObject(shown);
    const list = await everything(reader, '/v1/checks');
    expect(list.find((check) => check.id === id)).toMatchObject(shown);
    expect(JSON.stringify([one.body, list])).not.toContain('s3cret');
    for (const refused of [
      await reader.post('/v1/checks', { entity_id, check_type: 'push' }),
      await reader.put(`/v1/checks/${id}`, { name: 'x' }),
      await reader.del(`/v1/checks/${id}`),
    ]) {
      expect(refused).toMatchObject(failure(403, 'READ_ONLY'));
    }
  });
});
