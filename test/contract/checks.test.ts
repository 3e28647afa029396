import { beforeAll, describe, expect, it } from 'vitest';
import { checkTypeNames, checkTypeOf } from '#lib/checks/registry.ts';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

/** What a check has when nothing but the necessary was said. */
const defaults = {
  name: null,
  interval_seconds: 60,
  timeout_ms: 5000,
  failure_threshold: 3,
  enabled: true,
  state: 'unknown',
  consecutive_failures: 0,
};

/** The least that a check of a type takes, and what is made of it; a further type is met by its examples below. */
const leastOf: Record<string, { settings: object; made: object }> = {
  http: {
    settings: { target_url: 'http://127.77.0.1:9/' },
    made: {
      execution_mode: 'pull',
      target_url: 'http://127.77.0.1:9/',
      method: 'GET',
      expected_status: 200,
      body_contains: '',
      config: {},
    },
  },
  tcp: {
    settings: { config: { host: '127.77.0.1', port: 9 } },
    made: { execution_mode: 'pull', config: { host: '127.77.0.1', port: 9 } },
  },
  tls: {
    settings: { config: { host: '127.77.0.1' } },
    made: { execution_mode: 'pull', config: { host: '127.77.0.1', port: 443, min_days_remaining: 0 } },
  },
  dns: {
    settings: { config: { hostname: 'example.com', record_type: 'a', resolver: '127.77.0.1:9' } },
    made: {
      execution_mode: 'pull',
      config: { hostname: 'example.com', record_type: 'A', resolver: '127.77.0.1:9' },
    },
  },
  push: { settings: {}, made: { execution_mode: 'push', config: {} } },
};
const names = Object.keys(leastOf);

describe('POST /v1/checks', () => {
  it.each(names)('makes a %s check with its defaults and answers the whole record', async (check_type) => {
    const { settings, made } = leastOf[check_type]!;
    const entity = await newEntity(client);
    const answer = await client.post('/v1/checks', { entity_id: entity.id, check_type, ...settings });
    expect(got(answer, 201)).toEqual({
      id: expect.stringMatching(/^chk_[0-9a-z]+$/),
      entity_id: entity.id,
      check_type,
      ...defaults,
      ...made,
      state_since: expect.stringMatching(TIME),
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    });
  });

  it('keeps everything that is supplied', async () => {
    const settings = {
      check_type: 'http',
      execution_mode: 'pull',
      name: 'Zahlung 💶',
      target_url: 'http://127.77.0.1:9/pay?full=1#top',
      method: 'POST',
      expected_status: 302,
      body_contains: 'grüß',
      interval_seconds: 86_400,
      timeout_ms: 30_000,
      failure_threshold: 100,
      enabled: false,
      config: {
        headers: { Authorization: 'Bearer abc' },
        body: '{"ping":1}',
        follow_redirects: false,
        verify_tls: false,
      },
    };
    const check = await newCheck(client, settings);
    expect(check).toMatchObject(settings);
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject(settings);
  });

  it.each(checkTypeNames)('takes every example of a %s check, and names the place in every wrong one', async (name) => {
    const entity_id = (await newEntity(client)).id;
    const { examples } = checkTypeOf(name);
    const common = { entity_id, check_type: name, enabled: false };
    for (const settings of examples.valid) got(await client.post('/v1/checks', { ...common, ...settings }), 201);
    for (const { value, path } of examples.invalid) {
      expect(await client.post('/v1/checks', { ...common, ...value })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', path),
      );
    }
  });

  it('takes null as absent', async () => {
    const check = await newCheck(client, { name: null, timeout_ms: null });
    expect(check).toMatchObject({ name: null, timeout_ms: 5000, state: 'unknown' });
  });

  it('names all that is missing of a body that says nothing', async () => {
    const answer = await client.post('/v1/checks', {});
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(answer.body.details).toEqual([
      { path: 'check_type', message: `is required: one of ${checkTypeNames.join(', ')}` },
      { path: 'entity_id', message: 'is required' },
    ]);
  });

  it.each([
    ['what no check has', { tags: ['a'] }, 'tags'],
    ['what the service decides', { state: 'down' }, 'state'],
    ['what only http checks have', { target_url: 'https://example.com' }, 'target_url'],
  ])('refuses %s', async (_what, more, path) => {
    const check = {
      entity_id: (await newEntity(client)).id,
      check_type: 'tcp',
      config: { host: '127.77.0.1', port: 9 },
    };
    expect(await client.post('/v1/checks', { ...check, ...more })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });
});

describe('GET /v1/checks/{id}', () => {
  it('adds what is known of its results', async () => {
    const check = await newCheck(client, { check_type: 'http', target_url: 'http://127.77.0.1:9/', enabled: false });
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toEqual({
      ...check,
      last_result: null,
      last_checked_at: null,
      stale: false,
    });
  });

  it.each([
    ['the default grace', {}, 2 * 60 + 2 * 60],
    ['a grace of its own', { config: { grace_seconds: 90 } }, 90 + 2 * 60],
    ['a threshold of 1', { failure_threshold: 1, config: { grace_seconds: 7 } }, 7],
    ['another interval', { interval_seconds: 10, failure_threshold: 2 }, 20 + 10],
  ])('computes the silence until an alert: %s', async (_name, settings, seconds) => {
    const check = await newCheck(client, settings);
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject({ alerts_after_seconds: seconds });
  });

  it.each(['nonsense', 'chk_', 'chk_00000000000000000000000000', 'ent_1', '%00', 'a%2Fb', 'CHK_1', '..'])(
    'knows no check %s',
    async (id) => {
      expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    },
  );
});

describe('the plan limit of checks', () => {
  it('holds for a hundred creations at once, and counts anew after a deletion', async () => {
    const { check_limit_per_entity: limit } = got(await client.get('/v1/me'), 200);
    const entity_id = (await newEntity(client)).id;
    const create = () => client.post('/v1/checks', { entity_id, check_type: 'push' });
    const answers = await Promise.all(Array.from({ length: 100 }, create));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made).toHaveLength(limit);
    for (const refused of answers.filter((answer) => answer.status !== 201)) {
      expect(refused).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    }
    expect((await client.del(`/v1/checks/${made[0]!.body.id}`)).status).toBe(204);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(409);
  });
});

describe('GET /v1/checks', () => {
  it('lists every check once, also in pages of any size', async () => {
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

  it('refuses the cursor of another account and of another list', async () => {
    const [own, other] = [await newTenant(), await newTenant()];
    const entity = await newEntity(own);
    for (const _ of [1, 2]) await newCheck(own, { entity_id: entity.id });
    const link = (await own.get('/v1/checks?limit=1')).headers.get('link');
    const cursor = /cursor=([^&>]+)/.exec(link ?? '')![1];
    expect(await own.get(`/v1/checks?cursor=${cursor}`)).toMatchObject({
      status: 200,
      body: [{ entity_id: entity.id }],
    });
    for (const stranger of [
      await other.get(`/v1/checks?cursor=${cursor}`),
      await own.get(`/v1/blueprints?cursor=${cursor}`),
    ]) {
      expect(stranger).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
    }
  });

  it.each([
    ['a limit of 0', 'limit=0', 'limit'],
    ['a limit that is no number', 'limit=ten', 'limit'],
    ['a negative limit', 'limit=-1', 'limit'],
    ['a garbled cursor', 'cursor=%00x', 'cursor'],
    ['an empty cursor', 'cursor=', 'cursor'],
  ])('refuses %s', async (_name, query, path) => {
    expect(await client.get(`/v1/checks?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});

describe('another tenant', () => {
  it('sees nothing of a check, cannot touch it, and gets the same words as for one that never was', async () => {
    const stranger = await newTenant();
    const { id, entity_id } = await newCheck(client);
    const none = 'chk_00000000000000000000000000';
    const asks = (check: string) => [
      stranger.get(`/v1/checks/${check}`),
      stranger.put(`/v1/checks/${check}`, { name: 'mine' }),
      stranger.del(`/v1/checks/${check}`),
      stranger.get(`/v1/checks/${check}/results`),
      stranger.post(`/v1/checks/${check}/results`, { success: true, latency_ms: 1 }),
      stranger.post(`/v1/checks/${check}/heartbeat`),
    ];
    const [theirs, never] = await Promise.all([Promise.all(asks(id)), Promise.all(asks(none))]);
    for (const [i, answer] of theirs.entries()) {
      expect(answer).toMatchObject(failure(404, 'NOT_FOUND'));
      expect(answer.body.error.replaceAll(id, none)).toBe(never[i]!.body.error);
    }
    expect(await stranger.post('/v1/checks', { entity_id, check_type: 'push' })).toMatchObject(
      failure(404, 'NOT_FOUND'),
    );
    expect(got(await stranger.get('/v1/checks'), 200)).toEqual([]);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({ id, name: null });
  });
});

describe('a read-only key', () => {
  it('reads checks without their secrets and changes none', async () => {
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
