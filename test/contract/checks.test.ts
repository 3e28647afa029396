import { beforeAll, describe, expect, it } from 'vitest';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

/** Defaults of a check that has only its required properties. */
const defaults = {
  name: null,
  slug: null,
  labels: {},
  interval_seconds: 60,
  timeout_ms: 5000,
  failure_threshold: 3,
  recovery_threshold: 1,
  enabled: true,
  state: 'unknown',
  consecutive_failures: 0,
  consecutive_warnings: 0,
  consecutive_successes: 0,
  flapping_since: null,
  acknowledgement: null,
};

/**
 * Minimal settings of each check type, and the properties of the created record that are not in `defaults`, or differ.
 */
const minimal: Record<string, { settings: object; made: object }> = {
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
  websocket: {
    settings: { config: { url: 'ws://127.77.0.1:9/' } },
    made: { execution_mode: 'pull', config: { url: 'ws://127.77.0.1:9/' } },
  },
  grpc: {
    settings: { config: { host: '127.77.0.1', port: 9 } },
    made: { execution_mode: 'pull', config: { host: '127.77.0.1', port: 9, tls: true, service: '' } },
  },
  domain: {
    settings: { config: { domain: 'example.com' } },
    made: {
      execution_mode: 'pull',
      interval_seconds: 21_600,
      config: { domain: 'example.com', min_days_remaining: 0 },
    },
  },
  push: {
    settings: {},
    made: { execution_mode: 'push', config: {}, ping_url: expect.stringMatching(/\/ping\/[0-9a-f-]{36}$/) },
  },
};
const names = Object.keys(minimal);

describe('POST /v1/checks', () => {
  it.each(names)('creates a %s check with its defaults and returns the whole record', async (check_type) => {
    const { settings, made } = minimal[check_type]!;
    const entity = await newEntity(client);
    const response = await client.post('/v1/checks', { entity_id: entity.id, check_type, ...settings });
    expect(got(response, 201)).toEqual({
      id: expect.stringMatching(/^chk_[0-9a-z]+$/),
      entity_id: entity.id,
      entity: `service/${entity.slug}`,
      check_type,
      ...defaults,
      ...made,
      ...(check_type !== 'push' && { retry_interval_seconds: 0 }),
      state_since: expect.stringMatching(TIME),
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    });
  });

  it('keeps all given properties', async () => {
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

  it.each(names)(
    'accepts each valid example of a %s check, and rejects each invalid one with its path',
    async (name) => {
      const entity_id = (await newEntity(client)).id;
      const { examples } = checkTypeOf(name);
      const common = { entity_id, check_type: name, enabled: false };
      for (const settings of examples.valid) got(await client.post('/v1/checks', { ...common, ...settings }), 201);
      for (const { value, path } of examples.invalid) {
        expect(await client.post('/v1/checks', { ...common, ...value })).toMatchObject(
          failure(400, 'VALIDATION_ERROR', path),
        );
      }
    },
  );

  it('treats null as absent', async () => {
    const check = await newCheck(client, { name: null, timeout_ms: null });
    expect(check).toMatchObject({ name: null, timeout_ms: 5000, state: 'unknown' });
  });

  it('names all missing properties of an empty body', async () => {
    const response = await client.post('/v1/checks', {});
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(response.body.details).toEqual([
      { path: 'check_type', message: `is required: one of ${names.join(', ')}` },
      { path: 'entity_id', message: 'is required, unless entity is given' },
    ]);
  });

  it.each([
    ['an unknown property', { tags: ['a'] }, 'tags'],
    ['a computed property', { state: 'down' }, 'state'],
    ['a property of http checks', { target_url: 'https://example.com' }, 'target_url'],
  ])('rejects %s', async (_what, more, path) => {
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

describe('the limit of checks per entity', () => {
  it('holds for a hundred concurrent creations, and a deletion allows one more', async () => {
    const { check_limit_per_entity: limit } = got(await client.get('/v1/me'), 200);
    const entity_id = (await newEntity(client)).id;
    const create = () => client.post('/v1/checks', { entity_id, check_type: 'push' });
    const responses = await Promise.all(Array.from({ length: 100 }, create));
    const made = responses.filter((response) => response.status === 201);
    expect(made).toHaveLength(limit);
    for (const refused of responses.filter((response) => response.status !== 201)) {
      expect(refused).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    }
    expect((await client.del(`/v1/checks/${made[0]!.body.id}`)).status).toBe(204);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(409);
  });
});
