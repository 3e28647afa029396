import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, memberOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let admin: Client;
/** Client of the key that the pipeline uses. */
let member: Client;
let ci: CiEndpoint;
/** Listens on a forbidden address. */
let hidden: WebhookReceiver;
beforeAll(async () => {
  admin = await newTenant();
  member = await memberOf(admin);
  ci = await startCi();
  hidden = await startReceiver();
});
afterAll(async () => {
  await ci.close();
  await hidden.close();
});

type CiEndpoint = { url: string; started: string[]; done: Map<string, Promise<ApiResponse[]>>; close(): Promise<void> };

const LINES = Array.from({ length: 250 }, (_, i) => `step ${i}: ${'.'.repeat(i % 60)}`);
const POSTS = [LINES.slice(0, 100), LINES.slice(100, 200), LINES.slice(200)];

/** Starts a CI endpoint: each request starts a pipeline that reports its progress for the execution in the request. */
async function startCi(): Promise<CiEndpoint> {
  const started: string[] = [];
  const done = new Map<string, Promise<ApiResponse[]>>();
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { run } = JSON.parse(Buffer.concat(chunks).toString());
    started.push(run);
    done.set(run, pipeline(run));
    if (request.url === '/moved') response.writeHead(307, { location: `${hidden.url}/moved` }).end();
    else if (request.url !== '/hangs')
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id": 77}');
  };
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.77.0.2', resolve));
  return {
    url: `http://127.77.0.2:${(server.address() as AddressInfo).port}`,
    started,
    done,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function pipeline(run: string): Promise<ApiResponse[]> {
  const events = `/v1/actions/executions/${run}/events`;
  const responses = [await member.post(events, { status: 'running' })];
  responses.push(...(await Promise.all(POSTS.map((logs) => member.post(events, { logs })))));
  responses.push(await member.post(events, { status: 'succeeded' }));
  return responses;
}

/** Lets a check go down, waits until the only execution of its action has ended, and returns it. */
async function downWith(url: string, check: { id: string }, timeout_ms = 10_000): Promise<ApiResponse['body']> {
  const action = got(
    await admin.post('/v1/actions', {
      name: 'Roll back',
      url,
      body_template: '{"run": "{{execution_id}}", "entity": "{{entity_name}}"}',
      trigger_type: 'state_change',
      check_id: check.id,
      trigger_to_state: 'down',
      timeout_ms,
    }),
    201,
  );
  for (const success of [true, false]) {
    got(await member.post(`/v1/checks/${check.id}/results`, { success, latency_ms: 1 }), 201);
  }
  return eventually(async () => {
    const [execution, ...more] = got(await member.get(`/v1/actions/${action.id}/executions`), 200);
    expect(more).toEqual([]);
    return execution?.finished_at && execution;
  });
}

const pushCheck = () => newCheck(admin, { failure_threshold: 1, interval_seconds: 3600 });

async function expectWholeReport(run: string): Promise<void> {
  const responses = await ci.done.get(run)!;
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(responses.at(-1)!.body).toMatchObject({
    id: run,
    pipeline_status: 'succeeded',
    log_count: 250,
    logs_dropped: 0,
  });
  const logs: string[] = got(await member.get(`/v1/actions/executions/${run}/logs`), 200);
  expect(logs).toHaveLength(250);
  for (const post of POSTS) {
    const from = logs.indexOf(post[0]!);
    expect(logs.slice(from, from + post.length), 'a post stays together and in order').toEqual(post);
  }
}

describe('a pipeline that starts when a check goes down', () => {
  it('reports its status and 250 lines in three concurrent posts', async () => {
    const execution = await downWith(`${ci.url}/start`, await pushCheck());
    expect(execution).toMatchObject({ dispatch_status: 'success', status_code: 201, response_snippet: '{"id": 77}' });
    await expectWholeReport(execution.id);
    const [final] = got(await member.get(`/v1/actions/${execution.action_id}/executions`), 200);
    expect(final).toEqual({ ...execution, pipeline_status: 'succeeded', log_count: 250 });
    expect(ci.started.filter((run) => run === execution.id)).toHaveLength(1);
  });

  it('keeps its reports when it does not respond and the execution times out', async () => {
    const execution = await downWith(`${ci.url}/hangs`, await pushCheck(), 300);
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 0 });
    expect(execution.error_message).toContain('no answer within 300 ms');
    await expectWholeReport(execution.id);
    expect(ci.started.filter((run) => run === execution.id)).toHaveLength(1);
  });

  it('is not reached through a redirect to a private address', async () => {
    const execution = await downWith(`${ci.url}/moved`, await pushCheck());
    expect(execution).toMatchObject({ dispatch_status: 'failed', status_code: 307 });
    expect(hidden.received).toEqual([]);
  });

  it('is blocked and recorded when a variable holds a private host', async () => {
    const { hostname: name, port } = new URL(hidden.url);
    const { id: entity_id } = got(await admin.post('/v1/blueprints/service/entities', { slug: 'private', name }), 201);
    const check = await newCheck(admin, { entity_id, failure_threshold: 1, interval_seconds: 3600 });
    const execution = await downWith(`http://{{entity_name}}:${port}/start`, check);
    expect(execution).toMatchObject({ trigger: 'state_change', dispatch_status: 'blocked', status_code: 0 });
    expect(execution.error_message).toContain('127.0.0.1 is a loopback address');
    expect(hidden.received).toEqual([]);
  });
});
