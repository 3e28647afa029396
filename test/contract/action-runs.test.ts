import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant, TIME } from '#test/support/client.ts';
import { got, newAction, runAction } from '#test/support/fleet.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let ci: WebhookReceiver;
beforeAll(async () => {
  client = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => ci.close());

const at = (path: string) => ci.received.filter((one) => one.path.startsWith(path));

describe('a manual execution', () => {
  it('calls the target and returns its response', async () => {
    ci.behave({ status: 202, body: 'queued as #77' }, { status: 200 });
    const id = await newAction(client, {
      url: `${ci.url}/first`,
      body_template: '{"ref": "main"}',
      headers: { 'X-Token': 'abc' },
    });
    const execution = await runAction(client, id);
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
      ...{ attempt: null, verdict: null, verified_at: null, verified_by: null },
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

  it('fills every known variable and leaves the others unchanged', async () => {
    const names = ['execution_id', 'action_id', 'action_name', 'timestamp', 'entity_id', 'to_state', 'nonsense'];
    const body_template = JSON.stringify(Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
    const id = await newAction(client, {
      name: 'Say "hi"',
      url: `${ci.url}/vars/{{action_name}}?e={{execution_id}}`,
      body_template,
    });
    const execution = await runAction(client, id);
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

  it('accepts any variable from the caller, which takes precedence and is escaped for its position', async () => {
    const id = await newAction(client, {
      url: `${ci.url}/given/{{branch}}?by={{action_name}}`,
      body_template: '{"branch": "{{branch}}", "again": "{{again}}"}',
    });
    await runAction(client, id, { branch: 'a/b?c#d "ü"\r\n', action_name: 'x&y=z', again: '{{branch}}' });
    const [request] = at('/given');
    expect(request!.path).toBe('/given/a%2Fb%3Fc%23d%20%22%C3%BC%22%0D%0A?by=x%26y%3Dz');
    expect(JSON.parse(request!.body)).toEqual({ branch: 'a/b?c#d "ü"\r\n', again: '{{branch}}' });
  });

  it('does not escape variables in a body that is not JSON', async () => {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    const id = await newAction(client, { url: `${ci.url}/plain`, headers, body_template: 'says {{what}}' });
    await runAction(client, id, { what: '"x"\n' });
    expect(at('/plain')).toMatchObject([{ body: 'says "x"\n', headers: { 'content-type': headers['Content-Type'] } }]);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('uses the method %s', async (method) => {
    const id = await newAction(client, { url: `${ci.url}/by-${method}`, method, body_template: '{}' });
    await runAction(client, id);
    expect(at(`/by-${method}`)).toMatchObject([{ method, body: method === 'GET' ? '' : '{}' }]);
  });

  it('fails when the target responds with a status other than 2xx', async () => {
    ci.behave({ status: 500, body: 'no such branch' }, { status: 200 });
    const execution = await runAction(client, await newAction(client, { url: `${ci.url}/broken` }));
    expect(execution).toMatchObject({
      dispatch_status: 'failed',
      status_code: 500,
      response_snippet: 'no such branch',
    });
    expect(execution.error_message).toContain('500 Internal Server Error');
  });

  it('keeps the first 4 KB of a response, cut between two characters', async () => {
    ci.behave({ status: 200, body: `${'x'.repeat(4095)}é and more` }, { status: 200 });
    const { response_snippet } = await runAction(client, await newAction(client, { url: `${ci.url}/long` }));
    expect(response_snippet).toBe('x'.repeat(4095));
  });

  it('cuts between characters when the target pauses inside one', async () => {
    await using server = await bytesServer(Buffer.from(`${'x'.repeat(4095)}é`).subarray(0, 4096), Buffer.from([0xa9]));
    const { response_snippet } = await runAction(client, await newAction(client, { url: server.url }));
    expect(response_snippet).toBe('x'.repeat(4095));
  });

  it('shows bytes that are not text as replacement characters', async () => {
    await using server = await bytesServer(Buffer.from([0x6f, 0x6b, 0xff, 0x21]));
    const { response_snippet } = await runAction(client, await newAction(client, { url: server.url }));
    expect(response_snippet).toBe('ok\ufffd!');
  });

  it('ends at its timeout when the target hangs', async () => {
    ci.behave('hang', { status: 200 });
    const execution = await runAction(client, await newAction(client, { url: `${ci.url}/hangs`, timeout_ms: 150 }));
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 0, response_snippet: '' });
    expect(execution.error_message).toContain('150 ms');
    expect(execution.finished_at).toEqual(TIME);
  });

  it.each([['resets the connection', 'reset' as const, 'closed the connection']])(
    'reports the cause when the target %s',
    async (_what, behavior, says) => {
      ci.behave(behavior, { status: 200 });
      const execution = await runAction(client, await newAction(client, { url: `${ci.url}/reset` }));
      expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
      expect(execution.error_message).toContain(says);
    },
  );

  it.each([
    [202, 'success'],
    [500, 'failed'],
  ])('takes its outcome from the status %i when the response then breaks off', async (status, dispatch_status) => {
    const head = `HTTP/1.1 ${status} Said\r\nContent-Length: 9\r\n\r\nabc`;
    await using server = await rawTarget((socket) => socket.once('data', () => socket.end(head)));
    const execution = await runAction(client, await newAction(client, { url: server.url }));
    expect(execution).toMatchObject({ dispatch_status, status_code: status, response_snippet: '' });
    expect(execution.error_message).toContain('before the response was complete');
  });

  it('succeeds when the target sends 2xx and never completes the response', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
    await using server = await rawTarget((socket) => socket.once('data', () => socket.write(head)));
    const execution = await runAction(client, await newAction(client, { url: server.url, timeout_ms: 150 }));
    expect(execution).toMatchObject({ dispatch_status: 'success', status_code: 200, response_snippet: '' });
    expect(execution.error_message).toContain('150 ms');
  });

  it('reports a closed port and a name that does not resolve', async () => {
    const refused = await runAction(client, await newAction(client, { url: 'http://127.77.0.1:9/' }));
    expect(refused).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
    expect(refused.error_message).toContain('refused');
    const unknown = await runAction(
      client,
      await newAction(client, { url: 'http://nowhere.fleetwatch-test.com/', timeout_ms: 2000 }),
    );
    expect(unknown).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
    expect(unknown.error_message).toContain('nowhere.fleetwatch-test.com');
  });

  it('limits the size of a body after its variables are filled in', async () => {
    const id = await newAction(client, { url: `${ci.url}/bomb`, body_template: '{{a}}'.repeat(3276) });
    expect(await runAction(client, id, { a: 'x'.repeat(79) })).toMatchObject({
      dispatch_status: 'failed',
      error_message: 'not sent: the body has more than 65536 bytes after substitution of its variables',
    });
    expect(at('/bomb')).toEqual([]);
  });
});

/** Serves bytes; sends the last part only after the client disconnects. */
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
