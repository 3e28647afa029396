import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';

let admin: Client;
let id: string;
beforeAll(async () => {
  admin = await newTenant();
  id = got(await admin.post('/v1/actions', { ...valid, name: 'Stored' }), 201).id;
});

const valid = { name: 'Deploy', url: 'https://ci.example.com/hook', trigger_type: 'manual' };
const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));

const refused: [what: string, path: string, more: object][] = [
  ['a name that is empty', 'name', { name: '' }],
  ['a name of blanks', 'name', { name: '   ' }],
  ['a name of 201 characters', 'name', { name: 'x'.repeat(201) }],
  ['a name that is a number', 'name', { name: 7 }],
  ['an invalid URL', 'url', { url: 'ci.example.com' }],
  ['a URL that is empty', 'url', { url: '' }],
  ['a URL with a blank', 'url', { url: 'https://ci.example.com/a b' }],
  ['a URL with a line break', 'url', { url: 'https://ci.example.com/\r\nX: y' }],
  ['a URL of 2049 characters', 'url', { url: `https://ci.example.com/${'x'.repeat(2026)}` }],
  ['another scheme', 'url', { url: 'ftp://ci.example.com/' }],
  ['another scheme before a templated host', 'url', { url: 'gopher://{{host}}/' }],
  ['a templated URL that begins with neither scheme nor placeholder', 'url', { url: 'x{{host}}/' }],
  ['a user in the URL', 'url', { url: 'https://user:pass@ci.example.com/' }],
  ['a user before a templated host', 'url', { url: 'https://user:{{pass}}@{{host}}/' }],
  ['loopback', 'url', { url: 'http://127.0.0.1/' }],
  ['loopback, written short', 'url', { url: 'http://127.1:8080/' }],
  ['loopback, written as a number', 'url', { url: 'http://2130706433/' }],
  ['loopback of IPv6', 'url', { url: 'http://[::1]/' }],
  ['IPv4 inside IPv6', 'url', { url: 'http://[::ffff:10.0.0.1]/' }],
  ['a private address', 'url', { url: 'https://10.0.0.8/hook' }],
  ['a private address with a templated path', 'url', { url: 'https://192.168.1.1/{{entity_id}}' }],
  ['a private address with a templated port', 'url', { url: 'http://10.0.0.8:{{port}}/' }],
  ['the cloud metadata address', 'url', { url: 'http://169.254.169.254/latest/meta-data/' }],
  ['a private name', 'url', { url: 'http://localhost:3000/' }],
  ['a name of a private zone', 'url', { url: 'https://build.internal/' }],
  ['a name of one label', 'url', { url: 'http://jenkins/' }],
  ['one slash before a templated host', 'url', { url: 'https:/{{host}}.example.com/' }],
  ['a host from a variable, and headers', 'allowed_hosts', { url: 'https://{{host}}/hook', headers: { 'X-A': 'b' } }],
  ['a URL from a variable, and headers', 'allowed_hosts', { url: '{{base}}/hook', headers: { 'X-A': 'b' } }],
  [
    'a name of .com from a variable, and headers',
    'allowed_hosts',
    { url: 'https://{{a}}.com/', headers: { 'X-A': 'b' } },
  ],
  [
    'allowed hosts without the host of its URL',
    'allowed_hosts',
    { url: valid.url, allowed_hosts: ['*.ci.example.com'] },
  ],
  ['21 allowed hosts', 'allowed_hosts', { allowed_hosts: Array.from({ length: 21 }, () => 'ci.example.com') }],
  ['an allowed host with a port', 'allowed_hosts.1', { allowed_hosts: ['ci.example.com', 'ci.example.com:8443'] }],
  ['an allowed host that is a URL', 'allowed_hosts.0', { allowed_hosts: ['https://ci.example.com'] }],
  ['every name of .com as an allowed host', 'allowed_hosts.0', { allowed_hosts: ['*.com'] }],
  ['every host as an allowed host', 'allowed_hosts.0', { allowed_hosts: ['*'] }],
  ['allowed hosts that are a text', 'allowed_hosts', { allowed_hosts: 'ci.example.com' }],
  ['another method', 'method', { method: 'HEAD' }],
  ['a method in lower case', 'method', { method: 'post' }],
  ['headers that are a list', 'headers', { headers: ['X-A'] }],
  ['21 headers', 'headers', { headers: map(21) }],
  ['a header that is a number', 'headers.X-A', { headers: { 'X-A': 7 } }],
  ['a header without a name', 'headers.', { headers: { '': 'v' } }],
  ['a header name with a blank', 'headers.X A', { headers: { 'X A': 'v' } }],
  ['a header name with a line break', 'headers.X-A\r\nX-B', { headers: { 'X-A\r\nX-B': 'v' } }],
  ['a header value with a line break', 'headers.X-A', { headers: { 'X-A': 'v\r\nX-B: w' } }],
  ['a header value beyond Latin-1', 'headers.X-A', { headers: { 'X-A': '→' } }],
  ['a header value of 4097 characters', 'headers.X-A', { headers: { 'X-A': 'v'.repeat(4097) } }],
  ['a placeholder in a header value', 'headers.X-A', { headers: { 'X-A': '{{execution_id}}' } }],
  ['a header twice', 'headers.x-a', { headers: { 'X-A': 'v', 'x-a': 'w' } }],
  ['a hop-by-hop header', 'headers.Connection', { headers: { Connection: 'close' } }],
  ['a framing header', 'headers.content-length', { headers: { 'content-length': '3' } }],
  ['a chunked body', 'headers.Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ['a proxy header', 'headers.Proxy-Authorization', { headers: { 'Proxy-Authorization': 'x' } }],
  ['a body over 16 KB', 'body_template', { body_template: 'x'.repeat(16 * 1024 + 1) }],
  ['a body over 16 KB in bytes', 'body_template', { body_template: 'é'.repeat(8 * 1024 + 1) }],
  ['a body that is an object', 'body_template', { body_template: {} }],
  ['another trigger', 'trigger_type', { trigger_type: 'hourly' }],
  ['a state change without a check', 'check_id', { trigger_type: 'state_change' }],
  ['a schedule without an interval', 'interval_seconds', { trigger_type: 'schedule' }],
  ['an interval of 59 seconds', 'interval_seconds', { trigger_type: 'schedule', interval_seconds: 59 }],
  ['an interval of more than 31 days', 'interval_seconds', { interval_seconds: 31 * 86_400 + 1 }],
  ['an interval with half a second', 'interval_seconds', { interval_seconds: 60.5 }],
  ['a target state that is not possible', 'trigger_to_state', { trigger_to_state: 'unknown' }],
  ['a timeout of 99 ms', 'timeout_ms', { timeout_ms: 99 }],
  ['a timeout of 15001 ms', 'timeout_ms', { timeout_ms: 15_001 }],
  ['a timeout as text', 'timeout_ms', { timeout_ms: '1000' }],
];

describe('an action that is rejected', () => {
  it.each(refused)('has %s', async (_what, path, more) => {
    expect(await admin.post('/v1/actions', { ...valid, ...more })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
    // An update is validated in the same way and leaves the stored action unchanged.
    expect(await admin.put(`/v1/actions/${id}`, more)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(got(await admin.get(`/v1/actions/${id}`), 200)).toMatchObject({ ...valid, name: 'Stored' });
  });

  it('has no name, url or trigger; the error names each', async () => {
    const { status, body } = await admin.post('/v1/actions', {});
    expect(status).toBe(400);
    expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(['name', 'url', 'trigger_type']);
  });

  it.each(['chk_none', 'x', 'CHECK', '../x'])('has a check that does not exist: %s', async (check_id) => {
    const response = await admin.post('/v1/actions', { ...valid, trigger_type: 'state_change', check_id });
    expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

const TEMPLATED = {
  url: 'https://{{region}}.example.com/hook',
  headers: { 'X-A': 'b' },
  allowed_hosts: ['*.example.com'],
};

describe('a valid action', () => {
  it.each<[what: string, more: object]>([
    ['a name of 200 emoji', { name: '🚀'.repeat(200) }],
    ['20 headers', { headers: map(20) }],
    ['a body of 16 KB', { body_template: 'x'.repeat(16 * 1024) }],
    ['an interval of a minute', { trigger_type: 'schedule', interval_seconds: 60 }],
    ['an interval of 31 days', { trigger_type: 'schedule', interval_seconds: 31 * 86_400 }],
    ['a timeout of 100 ms', { timeout_ms: 100 }],
    ['a timeout of 15 s', { timeout_ms: 15_000 }],
    ['a host that does not resolve today', { url: 'https://not-yet.example.com/' }],
    ['a host from a variable', { url: 'https://{{host}}/hook' }],
    ['a URL from a variable', { url: '{{target}}' }],
    ['a host from a variable, and headers for hosts that are listed', TEMPLATED],
    ['a host whose beginning is a variable, and headers', { ...TEMPLATED, allowed_hosts: [] }],
    ['a port from a variable', { url: 'https://ci.example.com:{{port}}/' }],
    ['an address that the operator allows', { url: 'http://127.77.3.4:8080/' }],
    ['a public address', { url: 'https://93.184.215.14/' }],
    ['braces that are not a placeholder in a header', { headers: { 'X-A': '{"a": {"b": 1}}' } }],
  ])('%s', async (_what, more) => {
    const { id: made } = got(await admin.post('/v1/actions', { ...valid, ...more }), 201);
    got(await admin.del(`/v1/actions/${made}`), 204);
  });
});

describe('an execution that is rejected', () => {
  it.each<[what: string, path: string, body: unknown]>([
    ['garbled JSON', '', '{"vars": '],
    ['a list', '', '[]'],
    ['vars that are a list', 'vars', { vars: ['a'] }],
    ['a variable that is a number', 'vars.a', { vars: { a: 1 } }],
    ['a variable that is null', 'vars.a', { vars: { a: null } }],
    ['a variable that no placeholder can name', 'vars.a b', { vars: { 'a b': 'x' } }],
    ['101 variables', 'vars', { vars: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v${i}`, ''])) }],
  ])('%s', async (_what, path, body) => {
    expect(await admin.post(`/v1/actions/${id}/run`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(got(await admin.get(`/v1/actions/${id}/executions`), 200)).toEqual([]);
  });
});

describe('a wrong path', () => {
  it.each(['act_none', 'executions', 'x', '..', '%00', 'act_%2F'])('returns 404 for the action %s', async (none) => {
    expect(await admin.get(`/v1/actions/${encodeURI(none)}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.post(`/v1/actions/${none}/run`, '{')).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('returns 405 for an unsupported method', async () => {
    const response = await admin.post(`/v1/actions/${id}`);
    expect(response).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'));
    expect(response.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
  });
});

describe('the action limit', () => {
  it('is 50, also for concurrent requests, and a deletion frees one', async () => {
    const tenant = await newTenant();
    const responses = await Promise.all(Array.from({ length: 60 }, () => tenant.post('/v1/actions', valid)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = responses.filter(({ status }) => status !== 201);
    for (const response of refused) expect(response).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    expect(got(await tenant.get('/v1/actions'), 200)).toHaveLength(50);

    got(await tenant.del(`/v1/actions/${responses.find(({ status }) => status === 201)!.body.id}`), 204);
    got(await tenant.post('/v1/actions', valid), 201);
    expect(await tenant.post('/v1/actions', valid)).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
  });
});
