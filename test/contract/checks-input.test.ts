import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure, newTenant } from '#test/support/client.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';

let client: Client;
let entity_id: string;
beforeAll(async () => {
  client = await newTenant();
  entity_id = (await newEntity(client)).id;
});

const push = { check_type: 'push' };
const http = { check_type: 'http', target_url: 'http://127.77.0.1:9/' };

describe('a check that is rejected', () => {
  it.each<[string, object, string]>([
    ['no check_type', {}, 'check_type'],
    ['an unknown check_type', { check_type: 'ping' }, 'check_type'],
    ['a check_type in capitals', { check_type: 'HTTP' }, 'check_type'],
    ['the name of an inherited property', { check_type: 'constructor' }, 'check_type'],
    ['a check_type that is a number', { check_type: 1 }, 'check_type'],
    ['a push check with pull mode', { ...push, execution_mode: 'pull' }, 'execution_mode'],
    ['an http check with push mode', { ...http, execution_mode: 'push' }, 'execution_mode'],
    ['an unknown execution_mode', { ...http, execution_mode: 'both' }, 'execution_mode'],
    ['an empty name', { ...push, name: '' }, 'name'],
    ['a name of two lines', { ...push, name: 'two\r\nlines' }, 'name'],
    ['a name of 201 characters', { ...push, name: 'n'.repeat(201) }, 'name'],
    ['a name that is not text', { ...push, name: 7 }, 'name'],
    ['an interval of 0', { ...http, interval_seconds: 0 }, 'interval_seconds'],
    ['a negative interval', { ...http, interval_seconds: -60 }, 'interval_seconds'],
    ['an interval with half a second', { ...http, interval_seconds: 1.5 }, 'interval_seconds'],
    ['an interval as text', { ...http, interval_seconds: '60' }, 'interval_seconds'],
    ['an interval over a day', { ...http, interval_seconds: 86_401 }, 'interval_seconds'],
    ['a push interval over a leap year', { ...push, interval_seconds: 31_622_401 }, 'interval_seconds'],
    ['an interval beyond the range of numbers', '{"interval_seconds":1e999}' as never, 'interval_seconds'],
    ['a timeout under 10 ms', { ...http, timeout_ms: 9 }, 'timeout_ms'],
    ['a timeout over 30 s', { ...http, timeout_ms: 30_001 }, 'timeout_ms'],
    ['a threshold of 0', { ...push, failure_threshold: 0 }, 'failure_threshold'],
    ['a threshold of 101', { ...push, failure_threshold: 101 }, 'failure_threshold'],
    ['a retry interval equal to the interval', { ...http, retry_interval_seconds: 60 }, 'retry_interval_seconds'],
    [
      'a retry interval above the interval',
      { ...http, interval_seconds: 5, retry_interval_seconds: 10 },
      'retry_interval_seconds',
    ],
    ['a retry interval with half a second', { ...http, retry_interval_seconds: 0.5 }, 'retry_interval_seconds'],
    ['a negative retry interval', { ...http, retry_interval_seconds: -1 }, 'retry_interval_seconds'],
    ['a retry interval of a push check', { ...push, retry_interval_seconds: 10 }, 'retry_interval_seconds'],
    ['enabled as text', { ...push, enabled: 'yes' }, 'enabled'],
    ['a URL without a scheme', { ...http, target_url: 'example.com' }, 'target_url'],
    ['a URL of another scheme', { ...http, target_url: 'file:///etc/passwd' }, 'target_url'],
    ['a URL with user and password', { ...http, target_url: 'https://me:pw@example.com/' }, 'target_url'],
    ['a URL with only a user', { ...http, target_url: 'https://me@example.com/' }, 'target_url'],
    ['a URL of 2,049 characters', { ...http, target_url: `http://a.test/${'x'.repeat(2036)}` }, 'target_url'],
    ['an http check without a target', { check_type: 'http' }, 'target_url'],
    ['the cloud’s metadata address', { ...http, target_url: 'http://169.254.169.254/latest' }, 'target_url'],
    ['the metadata address in hexadecimal', { ...http, target_url: 'http://0xa9fea9fe/' }, 'target_url'],
    ['the unspecified address', { ...http, target_url: 'http://0.0.0.0/' }, 'target_url'],
    ['an expected status under 100', { ...http, expected_status: 99 }, 'expected_status'],
    ['an expected status over 599', { ...http, expected_status: 600 }, 'expected_status'],
    ['a method that does not exist', { ...http, method: 'FETCH' }, 'method'],
    ['a method in lower case', { ...http, method: 'get' }, 'method'],
    ['a config that is a list', { ...http, config: [] }, 'config'],
    ['a config that is text', { ...http, config: '{}' }, 'config'],
    ['a typo in config', { ...push, config: { grace_second: 5 } }, 'config.grace_second'],
    ['a config key of another check type', { ...http, config: { grace_seconds: 5 } }, 'config.grace_seconds'],
    ['an inherited key', '{"config":{"__proto__":{"a":1}}}' as never, 'config.__proto__'],
    ['a grace time of 0', { ...push, config: { grace_seconds: 0 } }, 'config.grace_seconds'],
    ['a grace time over two years', { ...push, config: { grace_seconds: 63_244_801 } }, 'config.grace_seconds'],
    ['a config over 8 KB', { ...http, config: { body: 'x'.repeat(8200) } }, 'config'],
    ['a header that is not text', { ...http, config: { headers: { a: 1 } } }, 'config.headers.a'],
    ['a header with a line break', { ...http, config: { headers: { a: 'b\nc' } } }, 'config.headers.a'],
  ])('has %s', async (_name, settings, path) => {
    const body =
      typeof settings === 'string'
        ? JSON.stringify({ entity_id, ...push }).replace('}', `,${(settings as string).slice(1)}`)
        : { entity_id, ...settings };
    const response = await client.post('/v1/checks', body);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR'));
    expect(response.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
  });

  it('gets an error for every wrong property at once', async () => {
    const body = { entity_id, ...http, timeout_ms: 0, interval_seconds: 'x', config: { a: 1, b: 2 } };
    const { details } = (await client.post('/v1/checks', body)).body;
    expect(details.map((detail: { path: string }) => detail.path).sort()).toEqual([
      'config.a',
      'config.b',
      'interval_seconds',
      'timeout_ms',
    ]);
  });

  it.each([
    ['no entity_id', undefined, 400, 'VALIDATION_ERROR'],
    ['an entity_id that is not text', 5, 400, 'VALIDATION_ERROR'],
    ['an unknown entity', 'ent_00000000000000000000000000', 404, 'NOT_FOUND'],
    ['a text that cannot be an id', '../../x', 404, 'NOT_FOUND'],
    ['the slug of an entity', 'entity-1', 404, 'NOT_FOUND'],
  ])('has %s', async (_name, id, status, code) => {
    expect(await client.post('/v1/checks', { ...push, entity_id: id })).toMatchObject(failure(status, code));
  });

  it.each([
    ['invalid JSON', '{"check_type":'],
    ['a list', '[]'],
    ['a text', '"push"'],
    ['null', 'null'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['half a surrogate pair', `{"entity_id":"x","check_type":"push","name":"\\ud800"}`],
  ])('has a body that is %s', async (_name, body) => {
    expect(await client.post('/v1/checks', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', ''));
  });

  it('has a body of more than 256 KB', async () => {
    const body = { entity_id, ...push, name: 'x'.repeat(256 * 1024) };
    expect(await client.post('/v1/checks', body)).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
  });

  it('leaves nothing stored', async () => {
    expect(got(await client.get('/v1/checks'), 200)).toEqual([]);
  });
});

describe('limits of a check', () => {
  it.each<[string, object]>([
    ['an interval of a second', { ...http, interval_seconds: 1 }],
    ['an interval of a day', { ...http, interval_seconds: 86_400 }],
    ['a push interval of a leap year', { ...push, interval_seconds: 31_622_400 }],
    ['a timeout of 10 ms', { ...http, timeout_ms: 10 }],
    ['a timeout of 30 s', { ...http, timeout_ms: 30_000 }],
    ['a threshold of 1', { ...push, failure_threshold: 1 }],
    ['a threshold of 100', { ...push, failure_threshold: 100 }],
    ['a retry interval just under the interval', { ...http, interval_seconds: 60, retry_interval_seconds: 59 }],
    ['no retries', { ...http, retry_interval_seconds: 0 }],
    ['a status of 100', { ...http, expected_status: 100 }],
    ['a status of 599', { ...http, expected_status: 599 }],
    ['a name of 200 characters', { ...push, name: '💶'.repeat(200) }],
    ['a grace time of two years', { ...push, config: { grace_seconds: 63_244_800 } }],
    ['a target inside a private network', { ...http, target_url: 'http://10.0.0.7:8080/health' }],
    ['a name that does not resolve', { ...http, target_url: 'http://no-such-host.invalid/' }],
  ])('allow %s', async (_name, settings) => {
    const entity = await newEntity(client);
    expect(got(await client.post('/v1/checks', { entity_id: entity.id, enabled: false, ...settings }), 201)).toEqual(
      expect.objectContaining(settings),
    );
  });
});

describe('checks restricted to public addresses', () => {
  let service: Service;
  let guarded: Client;
  let entity: string;
  beforeAll(async () => {
    service = await startService({ env: { CHECK_EGRESS: 'public', MIN_INTERVAL_SECONDS: '10' } });
    guarded = clientOf(service.url, service.adminKey);
    entity = (await newEntity(guarded)).id;
  });
  afterAll(() => service.stop());

  it.each<[string, object, string]>([
    ['loopback', { ...http, target_url: 'http://127.0.0.1/' }, 'target_url'],
    ['a private network', { ...http, target_url: 'http://192.168.1.1/' }, 'target_url'],
    ['IPv6 loopback', { ...http, target_url: 'http://[::1]/' }, 'target_url'],
    ['IPv4 inside IPv6', { ...http, target_url: 'http://[::ffff:10.0.0.1]/' }, 'target_url'],
    ['an octal address', { ...http, target_url: 'http://0177.0.0.1/' }, 'target_url'],
    ['a tcp host', { check_type: 'tcp', config: { host: '10.0.0.1', port: 22 } }, 'config.host'],
    ['a tls host', { check_type: 'tls', config: { host: '172.16.0.1' } }, 'config.host'],
    [
      'a dns resolver',
      { check_type: 'dns', config: { hostname: 'a.test', record_type: 'A', resolver: '127.0.0.1' } },
      'config.resolver',
    ],
  ])('are rejected at creation for a private address: %s', async (_name, settings, path) => {
    const response = await guarded.post('/v1/checks', { entity_id: entity, interval_seconds: 60, ...settings });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('are accepted for an address that the operator allows, and for a name', async () => {
    for (const target_url of ['http://127.77.0.1:9/', 'http://no-such-host.example.com/']) {
      const body = { entity_id: entity, check_type: 'http', enabled: false, target_url };
      expect(await guarded.post('/v1/checks', body)).toMatchObject({ status: 201 });
    }
  });

  it('keep the minimum interval of the operator', async () => {
    const body = { entity_id: entity, ...push };
    expect(await guarded.post('/v1/checks', { ...body, interval_seconds: 9 })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'interval_seconds'),
    );
    expect(await guarded.post('/v1/checks', { ...body, interval_seconds: 10 })).toMatchObject({ status: 201 });
    const retried = {
      entity_id: entity,
      check_type: 'http',
      target_url: 'https://a.example.com',
      retry_interval_seconds: 9,
    };
    expect(await guarded.post('/v1/checks', retried)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'retry_interval_seconds'),
    );
  });
});
