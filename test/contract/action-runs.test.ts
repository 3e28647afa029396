import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant, TIME } from '#test/support/client.ts';

import { got } from '#test/support/fleet.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let ci: WebhookReceiver;
/** Listens where nobody may go: 127.0.0.1. */
let hidden: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
  hidden = await startReceiver();
});
afterAll(async () => {
  await ci.close();
  await hidden.close();
});

const make = async (more: object): Promise<string> =>
  got(await client.post('/v1/actions', { name: 'Deploy', trigger_type: 'manual', ...more }), 201).id;
const run = async (id: string, vars?: Record<string, string>) =>
  got(await client.post(`/v1/actions/${id}/run`, vars && { vars }), 200);
const at = (path: string) => ci.received.filter((one) => one.path.startsWith(path));

describe('a run by hand', () => {
  it('calls the target and answers what it said', async () => {
    ci.behave({ status: 202, body: 'queued as #77' }, { status: 200 });
    const id = await make({ url: `${ci.url}/first`, body_template: '{"ref": "main"}', headers: { 'X-Token': 'abc' } });
    const execution = await run(id);
    expect(execution).toEqual({
      id: expect.stringMatching(/^exe_/),
      action_id: id,
      trigger: 'manual',
      dispatch_status: 'success',
      status_code: 202,
      latency_ms: expect.any(Number),
      response_snippet: 'queued as #77',
      error_message: '',
      pipeline_status: null,
      log_count: 0,
      transition_id: null,
      created_at: TIME,
      finished_at: TIME,
    });
    expect(at('/first')).toMatchObject([
      {
        method: 'POST',
        body: '{"ref": "main"}',
        headers: { 'x-token': 'abc', 'content-type': 'application/json' },
      },
    ]);
    expect(got(await client.get(`/v1/actions/${id}/executions`), 200)).toEqual([execution]);
  });

  it('fills every variable that it has, and leaves the others as they are', async () => {
    const names = ['execution_id', 'action_id', 'action_name', 'timestamp', 'entity_id', 'to_state', 'nonsense'];
    const body_template = JSON.stringify(Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
    const id = await make({
      name: 'Say "hi"',
      url: `${ci.url}/vars/{{action_name}}?e={{execution_id}}`,
      body_template,
    });
    const execution = await run(id);
    const [request] = at('/vars');
    expect(request!.path).toBe(`/vars/Say%20%22hi%22?e=${execution.id}`);
    expect(JSON.parse(request!.body)).toEqual({
      execution_id: execution.id,
      action_id: id,
      action_name: 'Say "hi"',
      timestamp: TIME,
      entity_id: '{{entity_id}}',
      to_state: '{{to_state}}',
      nonsense: '{{nonsense}}',
    });
  });

  it('may be given any variable, which wins and is escaped for where it stands', async () => {
    const id = await make({
      url: `${ci.url}/given/{{branch}}?by={{action_name}}`,
      body_template: '{"branch": "{{branch}}", "again": "{{again}}"}',
    });
    await run(id, { branch: 'a/b?c#d "ü"\r\n', action_name: 'x&y=z', again: '{{branch}}' });
    const [request] = at('/given');
    expect(request!.path).toBe('/given/a%2Fb%3Fc%23d%20%22%C3%BC%22%0D%0A?by=x%26y%3Dz');
    expect(JSON.parse(request!.body)).toEqual({ branch: 'a/b?c#d "ü"\r\n', again: '{{branch}}' });
  });

  it('leaves variables raw in a body that is not JSON', async () => {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    const id = await make({ url: `${ci.url}/plain`, headers, body_template: 'says {{what}}' });
    await run(id, { what: '"x"\n' });
    expect(at('/plain')).toMatchObject([{ body: 'says "x"\n', headers: { 'content-type': headers['Content-Type'] } }]);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('uses the method %s', async (method) => {
    const id = await make({ url: `${ci.url}/by-${method}`, method, body_template: '{}' });
    await run(id);
    expect(at(`/by-${method}`)).toMatchObject([{ method, body: method === 'GET' ? '' : '{}' }]);
  });

  it('has failed when the target answers anything but 2xx', async () => {
    ci.behave({ status: 500, body: 'no such branch' }, { status: 200 });
    const execution = await run(await make({ url: `${ci.url}/broken` }));
    expect(execution).toMatchObject({
      dispatch_status: 'failed',
      status_code: 500,
      response_snippet: 'no such branch',
    });
    expect(execution.error_message).toContain('500 Internal Server Error');
  });

  it('keeps the first 4 KB of an answer, cut between two characters', async () => {
    ci.behave({ status: 200, body: `${'x'.repeat(4095)}é and more` }, { status: 200 });
    const { response_snippet } = await run(await make({ url: `${ci.url}/long` }));
    expect(response_snippet).toBe('x'.repeat(4095));
  });

  it('cuts so too when the target pauses in the middle of a character', async () => {
    await using server = await bytesServer(Buffer.from(`${'x'.repeat(4095)}é`).subarray(0, 4096), Buffer.from([0xa9]));
    const { response_snippet } = await run(await make({ url: server.url }));
    expect(response_snippet).toBe('x'.repeat(4095));
  });

  it('shows bytes that are no text as what they are', async () => {
    await using server = await bytesServer(Buffer.from([0x6f, 0x6b, 0xff, 0x21]));
    const { response_snippet } = await run(await make({ url: server.url }));
    expect(response_snippet).toBe('ok\ufffd!');
  });

  it('ends at its time-out when the target hangs', async () => {
    ci.behave('hang', { status: 200 });
    const execution = await run(await make({ url: `${ci.url}/hangs`, timeout_ms: 150 }));
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 0, response_snippet: '' });
    expect(execution.error_message).toContain('150 ms');
    expect(execution.finished_at).toEqual(TIME);
  });

  it.each([['resets the connection', 'reset' as const, 'closed the connection']])(
    'says what happened when the target %s',
    async (_what, behaviour, says) => {
      ci.behave(behaviour, { status: 200 });
      const execution = await run(await make({ url: `${ci.url}/reset` }));
      expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
      expect(execution.error_message).toContain(says);
    },
  );

  it.each([
    [202, 'success'],
    [500, 'failed'],
  ])('is what the status %i says, also when the answer breaks off behind it', async (status, dispatch_status) => {
    const head = `HTTP/1.1 ${status} Said\r\nContent-Length: 9\r\n\r\nabc`;
    await using server = await rawTarget((socket) => socket.once('data', () => socket.end(head)));
    const execution = await run(await make({ url: server.url }));
    expect(execution).toMatchObject({ dispatch_status, status_code: status, response_snippet: '' });
    expect(execution.error_message).toContain('before the response was complete');
  });

  it('is a success when a target that said 2xx is then silent', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
    await using server = await rawTarget((socket) => socket.once('data', () => socket.write(head)));
    const execution = await run(await make({ url: server.url, timeout_ms: 150 }));
    expect(execution).toMatchObject({ dispatch_status: 'success', status_code: 200, response_snippet: '' });
    expect(execution.error_message).toContain('150 ms');
  });

  it('says so when nothing listens, or the name does not resolve', async () => {
    const refused = await run(await make({ url: 'http://127.77.0.1:9/' }));
    expect(refused).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
    expect(refused.error_message).toContain('refused');
    const unknown = await run(await make({ url: 'http://nowhere.fleetwatch-test.com/', timeout_ms: 2000 }));
    expect(unknown).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
    expect(unknown.error_message).toContain('nowhere.fleetwatch-test.com');
  });
});

describe('a run never reaches a private address', () => {
  it('by a redirect, which is not followed', async () => {
    ci.behave({ status: 302, headers: { location: `${hidden.url}/secret` } }, { status: 200 });
    const execution = await run(await make({ url: `${ci.url}/moved` }));
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 302 });
    expect(execution.error_message).toContain('redirects are not followed');
    expect(hidden.received).toEqual([]);
  });

  it.each([
    ['a host', 'http://{{host}}:{{port}}/x', () => ({ host: '127.0.0.1', port: new URL(hidden.url).port })],
    ['a host and a port', 'http://{{host}}/x', () => ({ host: new URL(hidden.url).host })],
    ['a whole URL', '{{url}}', () => ({ url: `${hidden.url}/x` })],
    ['what stands behind a host', 'http://127.77.0.1{{rest}}', () => ({ rest: `@${new URL(hidden.url).host}/` })],
    ['a number as host', 'http://{{host}}/', () => ({ host: '2130706433' })],
    ['metadata', 'http://{{host}}/latest', () => ({ host: '169.254.169.254' })],
    ['localhost', 'http://{{host}}/', () => ({ host: 'localhost' })],
    ['nothing at all', 'http://{{host}}/', () => ({})],
  ])('by a variable that holds %s; the attempt is on record', async (_what, url, vars) => {
    const id = await make({ url });
    const execution = await run(id, vars());
    expect(execution).toMatchObject({ dispatch_status: 'blocked', status_code: 0, response_snippet: '' });
    expect(execution.error_message).toMatch(/^refused: \S+ \S+/);
    expect(got(await client.get(`/v1/actions/${id}/executions`), 200)).toEqual([execution]);
    expect(hidden.received).toEqual([]);
  });

  it('though a variable may well name a public one', async () => {
    const id = await make({ url: 'http://{{host}}:{{port}}/by-variable' });
    const { hostname: host, port } = new URL(ci.url);
    expect(await run(id, { host, port })).toMatchObject({ dispatch_status: 'success' });
    expect(at('/by-variable')).toHaveLength(1);
  });
});

describe('the headers of an action', () => {
  const headers = { Authorization: 'Bearer ADMINONLY' };
  let thief: WebhookReceiver;
  beforeAll(async () => {
    thief = await startReceiver({ host: '127.77.0.9' });
  });
  afterAll(() => thief.close());

  it.each([
    ['with a whole address in it', () => ({ region: `${new URL(thief.url).host}/?` })],
    ['with a host of their own', () => ({ region: '127.77.0.9' })],
  ])('never go where whoever runs it sends them by a variable in the host, %s', async (_what, vars) => {
    const url = `http://{{region}}:${new URL(thief.url).port}/deploy`;
    const id = await make({ url, headers, allowed_hosts: ['127.77.0.1'] });
    expect(await run(id, vars())).toMatchObject({ dispatch_status: 'blocked', status_code: 0 });
    expect(thief.received).toEqual([]);
  });

  it('nor by a variable of the service', async () => {
    const url = `http://{{entity_name}}:${new URL(thief.url).port}/deploy`;
    const id = await make({ url, headers, allowed_hosts: ['*.example.com', '127.77.0.9'] });
    expect(await run(id, { entity_name: '127.77.0.9' })).toMatchObject({
      dispatch_status: 'blocked',
      error_message: expect.stringContaining('{{entity_name}}'),
    });
    expect(thief.received).toEqual([]);
  });

  it('go to the hosts that are allowed', async () => {
    const { hostname: host, port } = new URL(ci.url);
    const id = await make({ url: `http://{{host}}:${port}/allowed`, headers, allowed_hosts: [host] });
    expect(await run(id, { host })).toMatchObject({ dispatch_status: 'success' });
    expect(at('/allowed')[0]!.headers.authorization).toBe('Bearer ADMINONLY');
  });
});

it('a body is not blown up by its variables', async () => {
  const id = await make({ url: `${ci.url}/bomb`, body_template: '{{a}}'.repeat(3276) });
  expect(await run(id, { a: 'x'.repeat(79) })).toMatchObject({
    dispatch_status: 'failed',
    error_message: 'not sent: the body has more than 65536 bytes once its variables are filled in',
  });
  expect(at('/bomb')).toEqual([]);
});

/** Answers with bytes; the last part only once the caller has gone. */
async function bytesServer(first: Buffer, last = Buffer.alloc(0)): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer((request, response) => {
    response.writeHead(200);
    if (last.length === 0) return response.end(first);
    request.socket.once('close', () => response.end(last));
    return response.write(first);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.77.0.1', resolve));
  return {
    url: `http://127.77.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
