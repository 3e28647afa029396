import { runInNewContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { create } from '#functions/api.ts';
import { edgeCode } from '#infra/aws/edge/code.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { API_HEADERS } from '#lib/platform/http/api-event.ts';
import { readPingPath } from '#lib/results/pings/ping-path.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

type Headers = Record<string, { value: string }>;
type Cookies = Record<string, { value: string }>;
type Request = { method: string; uri: string; querystring: object; headers: Headers; cookies: Cookies };
type Answer = { statusCode: number; headers: Headers; body: string };

const code = (origins = ['*']) => edgeCode({ api: 'api', streamed: ['/v1/mcp'], origins });

const HOST = 'fleet.example.com';

/**
 * Runs the function like CloudFront.
 * @returns the forwarded request or the response, the selected origin, and whether the request passes
 */
function run(
  method: string,
  uri: string,
  headers: Record<string, string> = {},
  { origins, cookies = {} }: { origins?: string[]; cookies?: Cookies } = {},
) {
  const selected: string[] = [];
  const request: Request = {
    method,
    uri,
    querystring: {},
    headers: Object.fromEntries(Object.entries({ host: HOST, ...headers }).map(([name, value]) => [name, { value }])),
    cookies,
  };
  const context = {
    cf: { selectRequestOriginById: (id: string) => selected.push(id) },
    event: { context: { requestId: 'r1' }, viewer: { ip: '203.0.113.9' }, request },
  };
  const withoutImport = code(origins).replace("import cf from 'cloudfront';", '');
  const result = runInNewContext(`${withoutImport};handler(event)`, context) as Request | Answer;
  return { result, selected, passes: result === request };
}

const KEY = { authorization: 'Bearer fw_1' };

describe('edge function', () => {
  it('is within the size limit and uses only the supported language', () => {
    const many = Array.from({ length: 50 }, (_, i) => `https://page-${i}.example.com`);
    expect(Buffer.byteLength(code(many))).toBeLessThan(10 * 1024);
    expect(code().split('\n')[0]).toBe("import cf from 'cloudfront';");
    // JavaScript runtime 2.0: ES 5.1, and these three later features.
    const supported = { 'const-and-let': true, arrow: true, 'template-literal': true };
    const asIs = transformSync(code(), { target: 'esnext' }).code;
    expect(transformSync(code(), { target: 'es5', supported }).code).toBe(asIs);
  });

  it.each(allRoutes.map(({ method, path, access }) => [method, path, access] as const))(
    'passes %s %s without a key only if its access is open (%s)',
    (method, path, access) => {
      const uri = path.replaceAll(/\{\w+\}/g, 'one');
      expect(run(method, uri).passes).toBe(access === 'open');
      expect(run(method, uri, KEY).passes).toBe(true);
    },
  );

  it.each([
    ['HEAD', '/v1/health', true],
    ['GET', '/.well-known/oauth-protected-resource/v1/mcp', true],
    ['POST', '/v1/health', false],
    ['GET', '/v1/health/more', false],
    ['GET', '/v1/health/', false],
    ['GET', '/', true],
    ['HEAD', '/', true],
    ['POST', '/', false],
    ['GET', '/assets/main-1A2B3C4D.js', true],
    ['GET', '/docs/use/alerts', true],
    ['GET', '/calendars/acc_1/rot_1/secret/calendar.ics', true],
    ['GET', '/index.html', false],
    ['GET', '/v1/mcp', false],
    ['POST', '/v1/mcp', false],
    ['OPTIONS', '/v1/mcp', false],
  ])('decides on %s %s without a key: %s', (method, uri, passes) => {
    expect(run(method, uri).passes).toBe(passes);
  });

  const UUID = '0b5c1a34-9d27-4e55-8a1e-0123456789ab';
  const PING_KEY = 'abcdefghijklmnopqrstu_';

  it.each([
    ...[UUID, UUID.toUpperCase(), `${UUID}/`, `${UUID}/start`, `${UUID}/17`, `${UUID}/300`],
    ...[`${PING_KEY}/nightly`, `${PING_KEY}/Nightly/fail`, `${PING_KEY}/nightly/1`],
  ])('passes the ping %s', (path) => {
    expect(readPingPath(`/ping/${path}`)).not.toBe('unknown');
    for (const method of ['GET', 'HEAD', 'POST']) expect(run(method, `/ping/${path}`).passes).toBe(true);
  });

  it.each([
    ...['', '/', '.env', 'wp-login.php', UUID.slice(1), `${UUID}0`, `x/${UUID}`],
    ...[PING_KEY, `${PING_KEY}/`, `${PING_KEY}/nightly/`, `${PING_KEY}/a.b`, `${PING_KEY}0/nightly`],
  ])('returns 404 for %j below /ping/ without calling the service, because it cannot be a ping', (path) => {
    expect(readPingPath(`/ping/${path}`)).toBe('unknown');
    const { statusCode, headers, body } = run('GET', `/ping/${path}`, KEY).result as Answer;
    expect({ statusCode, body, type: headers['content-type'] }).toEqual({
      statusCode: 404,
      body: 'not found',
      type: { value: 'text/plain; charset=utf-8' },
    });
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'fw_1', ''])('does not accept %j as a key', (authorization) => {
    expect(run('GET', '/v1/me', { authorization }).passes).toBe(false);
  });

  it.each(['bearer fw_1', 'Bearer  fw_1 '])('accepts %j as a key, like the service', (authorization) => {
    expect(run('GET', '/v1/me', { authorization }).passes).toBe(true);
  });

  it.each(['/v1/me', '/v1/mcp', '/v1/nothing'])(
    'rejects %s without a key with the message of the service',
    async (path) => {
      const { statusCode, headers, body } = run('GET', path).result as Answer;
      const event = {
        rawPath: path,
        rawQueryString: '',
        headers: {},
        isBase64Encoded: false,
        requestContext: { requestId: 'r1', http: { method: 'GET', path } },
      };
      const own = await create(memoryWorld().ports)(event);
      expect({ statusCode, body: JSON.parse(body) }).toEqual({
        statusCode: own.statusCode,
        body: JSON.parse(own.body),
      });
      expect(headers['www-authenticate']).toEqual({ value: own.headers['www-authenticate'] });
      expect(headers['x-request-id']).toEqual({ value: own.headers['x-request-id'] });
      expect(headers['content-type']!.value).toMatch(/^application\/json/);
      for (const name of Object.keys(API_HEADERS)) expect(headers[name]).toEqual({ value: own.headers[name] });
    },
  );

  it('passes requests with a session, except to MCP, which accepts only keys', () => {
    const cookies = { '__Host-fleetwatch_session': { value: 'x' } };
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(run(method, '/v1/checks', {}, { cookies }).passes).toBe(true);
    for (const method of ['GET', 'POST']) expect(run(method, '/v1/mcp', {}, { cookies }).passes).toBe(false);
    expect(run('GET', '/v1/checks', {}, { cookies: { other: { value: 'x' } } }).passes).toBe(false);
  });

  it('forwards client address and host, regardless of headers of the client', () => {
    const lies = { 'x-fleetwatch-address': '192.0.2.1', 'x-fleetwatch-host': 'evil.example' };
    for (const method of ['GET', 'POST']) {
      for (const uri of ['/v1/health', '/v1/mcp']) {
        const { headers } = run(method, uri, { ...KEY, ...lies }).result;
        expect([headers['x-fleetwatch-address'], headers['x-fleetwatch-host']]).toEqual([
          { value: '203.0.113.9' },
          { value: HOST },
        ]);
      }
    }
  });

  it('adds CORS headers to its responses, and passes a preflight without a key', () => {
    const named = ['https://a.example', 'https://b.example'];
    const allowed = (origin: string) =>
      (run('GET', '/v1/me', { origin }, { origins: named }).result as Answer).headers['access-control-allow-origin']
        ?.value;
    expect(allowed('https://b.example')).toBe('https://b.example');
    expect(allowed('https://evil.example')).toBeUndefined();
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    for (const uri of ['/v1/me', '/v1/mcp']) expect(run('OPTIONS', uri, preflight).passes).toBe(true);
  });
});

describe('MCP at the URL of CloudFront', () => {
  it('sends a GET to the streaming function, with the key in another header than the signature', () => {
    const { result, selected } = run('GET', '/v1/mcp', KEY);
    expect(selected).toEqual([]);
    expect(result.headers['x-forwarded-authorization']).toEqual({ value: 'Bearer fw_1' });
  });

  it.each(['POST', 'DELETE', 'HEAD', 'PUT'])('sends a %s to the API', (method) => {
    const { result, selected } = run(method, '/v1/mcp', KEY);
    expect(selected).toEqual(['api']);
    expect(result.headers['x-forwarded-authorization']).toBeUndefined();
  });

  it('overwrites headers of CloudFront that a caller sends', () => {
    const { result } = run('GET', '/v1/mcp', { ...KEY, 'x-forwarded-authorization': 'Bearer fw_other' });
    expect(result.headers['x-forwarded-authorization']).toEqual({ value: 'Bearer fw_1' });
  });

  it('forwards other requests unchanged', () => {
    const { result, selected } = run('GET', '/v1/checks', KEY);
    expect(selected).toEqual([]);
    const added = ['x-fleetwatch-address', 'x-fleetwatch-host'];
    expect(Object.keys(result.headers)).toEqual(['host', 'authorization', ...added]);
  });
});
