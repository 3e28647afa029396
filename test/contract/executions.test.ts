import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got, newAction, runAction } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let receiver: WebhookReceiver;
let action: string;
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  action = await newAction(client, { url: receiver.url });
});
afterAll(() => receiver.close());

const newRun = async (of = action): Promise<string> => (await runAction(client, of)).id;
const report = (id: string, body: unknown) => client.post(`/v1/actions/executions/${id}/events`, body);
const logs = async (id: string): Promise<string[]> => got(await client.get(`/v1/actions/executions/${id}/logs`), 200);
const lines = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix} ${i}`);

describe('a report', () => {
  it('sets the status of the pipeline; the last one wins', async () => {
    const id = await newRun();
    for (const status of ['queued', 'running', 'succeeded', 'failed', 'running']) {
      expect(got(await report(id, { status }), 200)).toMatchObject({ id, pipeline_status: status, logs_dropped: 0 });
    }
    const [execution] = got(await client.get(`/v1/actions/${action}/executions?limit=1`), 200);
    expect(execution).toMatchObject({ id, pipeline_status: 'running', dispatch_status: 'success' });
    expect(execution).not.toHaveProperty('logs_dropped');
  });

  it('adds lines in order, with or without a status', async () => {
    const id = await newRun();
    expect(got(await report(id, { logs: ['one', 'two'] }), 200)).toMatchObject({ pipeline_status: null, log_count: 2 });
    const body = { status: 'running', logs: ['', 'three\nand a half', '\u0000 ü 🚀'] };
    expect(got(await report(id, body), 200)).toMatchObject({ pipeline_status: 'running', log_count: 5 });
    expect(await logs(id)).toEqual(['one', 'two', ...body.logs]);
  });

  it('returns number and time of each line on request', async () => {
    const id = await newRun();
    got(await report(id, { logs: ['a', 'b'] }), 200);
    got(await report(id, { logs: ['c'] }), 200);
    const detailed = got(await client.get(`/v1/actions/executions/${id}/logs?detail=1`), 200);
    expect(detailed).toEqual(['a', 'b', 'c'].map((line, i) => ({ seq: i + 1, line, reported_at: TIME })));
    expect(await client.get(`/v1/actions/executions/${id}/logs?detail=yes`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'detail'),
    );
  });

  it('adds lines that can be read after the last seen one', async () => {
    const id = await newRun();
    const linesAfter = async (query: string) =>
      got(await client.get(`/v1/actions/executions/${id}/logs?${query}`), 200);
    got(await report(id, { logs: ['one', 'two', 'three'] }), 200);
    const seen: { seq: number; line: string }[] = await linesAfter('detail=1');
    expect(await linesAfter(`after=${seen.at(-1)!.seq}`)).toEqual([]);
    got(await report(id, { logs: ['four'] }), 200);
    got(await report(id, { logs: ['five', 'six'] }), 200);
    expect(await linesAfter('after=3&detail=1')).toEqual(
      ['four', 'five', 'six'].map((line, i) => ({ seq: i + 4, line, reported_at: TIME })),
    );
    // A line in the middle of a report, and 0, which is before the first line.
    expect(await linesAfter('after=5')).toEqual(['six']);
    expect(await linesAfter('after=0')).toEqual(await logs(id));
    for (const end of ['6', '1000', '999999999']) expect(await linesAfter(`after=${end}`)).toEqual([]);
  });

  it('adds lines that can be read in pages after the last seen one', async () => {
    const id = await newRun();
    const sent = lines('line', 250);
    for (const from of [0, 100, 200]) got(await report(id, { logs: sent.slice(from, from + 100) }), 200);
    for (const after of [0, 1, 99, 100, 101, 249]) {
      const path = `/v1/actions/executions/${id}/logs?limit=40&after=${after}`;
      expect(await everything(client, path)).toEqual(sent.slice(after));
    }
  });

  it.each(['-1', 'x', '', '1.5', '1e3', '9'.repeat(10)])('cannot be read after the line "%s"', async (after) => {
    const response = await client.get(`/v1/actions/executions/${await newRun()}/logs?after=${after}`);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'after'));
  });

  it('can have no lines', async () => {
    const id = await newRun();
    expect(got(await report(id, { logs: [] }), 200)).toMatchObject({ log_count: 0, logs_dropped: 0 });
  });

  it('cuts a line of more than 2 KB between two characters', async () => {
    const id = await newRun();
    const whole = `${'x'.repeat(2045)}é`;
    const sent = [`${whole}é`, `${'x'.repeat(2046)}🚀`, 'y'.repeat(9000), '🚀'.repeat(512), 'é'.repeat(1025)];
    got(await report(id, { logs: sent }), 200);
    const kept = await logs(id);
    expect(kept).toEqual([whole, 'x'.repeat(2046), 'y'.repeat(2048), '🚀'.repeat(512), 'é'.repeat(1024)]);
  });

  it('keeps its lines together and in order among 20 concurrent reports', async () => {
    const id = await newRun();
    const posts = Array.from({ length: 20 }, (_, post) => lines(`post ${post} line`, 40));
    for (const response of await Promise.all(posts.map((post) => report(id, { logs: post })))) got(response, 200);
    const kept = await logs(id);
    expect(kept).toHaveLength(800);
    for (const post of posts) {
      const from = kept.indexOf(post[0]!);
      expect(kept.slice(from, from + 40)).toEqual(post);
    }
    expect(await everything(client, `/v1/actions/executions/${id}/logs?limit=7`)).toEqual(kept);
  });

  it('keeps every line when each is a separate post, and returns them in pages of any size', async () => {
    const id = await newRun();
    const sent = lines('line', 60);
    for (const line of sent) got(await report(id, { logs: [line] }), 200);
    expect(await logs(id)).toEqual(sent);
    for (const limit of [7, 20, 59, 60]) {
      expect(await everything(client, `/v1/actions/executions/${id}/logs?limit=${limit}`)).toEqual(sent);
    }
  });

  it('stores 1,000 lines, drops the rest, and then returns LOG_LIMIT', async () => {
    const id = await newRun();
    for (let i = 0; i < 9; i++) got(await report(id, { logs: lines(`${i}`, 100) }), 200);
    got(await report(id, { logs: lines('9', 50) }), 200);
    const last = got(await report(id, { logs: lines('last', 80), status: 'running' }), 200);
    expect(last).toMatchObject({ log_count: 1000, logs_dropped: 30, pipeline_status: 'running' });
    expect((await logs(id)).slice(-1)).toEqual(['last 49']);

    expect(await report(id, { logs: ['more'] })).toMatchObject(failure(409, 'LOG_LIMIT'));
    expect(await report(id, { logs: ['more'], status: 'succeeded' })).toMatchObject(failure(409, 'LOG_LIMIT'));
    const [execution] = got(await client.get(`/v1/actions/${action}/executions?limit=1`), 200);
    expect(execution).toMatchObject({ id, pipeline_status: 'succeeded', log_count: 1000 });
    expect(got(await report(id, { status: 'failed' }), 200)).toMatchObject({ pipeline_status: 'failed' });
    expect(got(await report(id, { logs: [] }), 200)).toMatchObject({ logs_dropped: 0 });
    expect(await logs(id)).toHaveLength(1000);
  });

  it('never stores more than 1,000 lines for concurrent reports', async () => {
    const id = await newRun();
    const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => report(id, { logs: lines(`${i}`, 90) })));
    const taken = responses.filter(({ status }) => status === 200);
    for (const response of responses)
      if (response.status !== 200) expect(response).toMatchObject(failure(409, 'LOG_LIMIT'));
    expect(taken).toHaveLength(12);
    expect(taken.reduce((sum, { body }) => sum + body.logs_dropped, 0)).toBe(12 * 90 - 1000);
    expect(await logs(id)).toHaveLength(1000);
  });

  it('can have more than 256 KB, up to 1 MB', async () => {
    const id = await newRun();
    const big = Array.from({ length: 100 }, () => 'x'.repeat(9000));
    expect(got(await report(id, { logs: big }), 200)).toMatchObject({ log_count: 100 });
    const tooBig = { logs: ['x'.repeat(1024 * 1024)] };
    expect(await report(id, tooBig)).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
  });

  it.each<[what: string, path: string, body: unknown]>([
    ['nothing', 'status', {}],
    ['an unknown property', 'state', { status: 'running', state: 'running' }],
    ['nulls', 'status', { status: null, logs: null }],
    ['another status', 'status', { status: 'done' }],
    ['a number as status', 'status', { status: 1 }],
    ['one line without a list', 'logs', { logs: 'line' }],
    ['a line that is a number', 'logs.1', { logs: ['a', 1] }],
    ['a line that is null', 'logs.0', { logs: [null] }],
    ['101 lines', 'logs', { logs: lines('x', 101) }],
    ['half a character', '', '{"logs": ["\\ud800"]}'],
  ])('is rejected with %s', async (_what, path, body) => {
    const id = await newRun();
    expect(await report(id, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(await logs(id)).toEqual([]);
  });

  it.each(['exe_none', 'act_none', 'x', '%00', 'exe_%2F'])('returns 404 for the execution %s', async (none) => {
    expect(await client.post(`/v1/actions/executions/${none}/events`, '{')).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.get(`/v1/actions/executions/${none}/logs`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.get(`/v1/actions/executions/${none}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('an execution', () => {
  const one = async (id: string, as = client) => as.get(`/v1/actions/executions/${id}`);

  it('is read without the id of its action, with the same record and later reports', async () => {
    const id = await newRun();
    const [listed] = got(await client.get(`/v1/actions/${action}/executions?limit=1`), 200);
    expect(got(await one(id), 200)).toEqual(listed);
    got(await report(id, { status: 'running', logs: ['a', 'b'] }), 200);
    expect(got(await one(id), 200)).toEqual({ ...listed, pipeline_status: 'running', log_count: 2 });
  });

  it('hides the response from a read-only key', async () => {
    const id = await newRun();
    const reader = await keyOf(client, { is_read_only: true });
    const shown = got(await one(id, reader), 200);
    expect(shown).toEqual({ ...got(await one(id), 200), response_snippet: expect.stringMatching(/^(\*{8})?$/) });
  });

  it('disappears with its action and is hidden from another account', async () => {
    const own = await newAction(client, { url: receiver.url });
    const id = await newRun(own);
    expect(await one(id, await newTenant())).toMatchObject(failure(404, 'NOT_FOUND'));
    got(await client.del(`/v1/actions/${own}`), 204);
    expect(await one(id)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('the executions of an action', () => {
  it('are listed newest first, 50 per page by default and at most 200', async () => {
    const id = await newAction(client, { url: receiver.url });
    const made: string[] = [];
    for (let i = 0; i < 55; i++) made.push(await newRun(id));
    made.reverse();
    const ids = async (path: string) =>
      got(await client.get(path), 200).map((execution: { id: string }) => execution.id);
    expect(await ids(`/v1/actions/${id}/executions`)).toEqual(made.slice(0, 50));
    expect(await ids(`/v1/actions/${id}/executions?limit=3`)).toEqual(made.slice(0, 3));
    expect(await ids(`/v1/actions/${id}/executions?limit=9999`)).toEqual(made);
    const all = await everything(client, `/v1/actions/${id}/executions?limit=20`);
    expect(all.map((execution) => execution.id)).toEqual(made);
    expect(await ids(`/v1/actions/${await newAction(client, { url: receiver.url })}/executions`)).toEqual([]);
  });

  it.each(['limit=0', 'limit=x', 'cursor=x', 'cursor='])('are not listed with %s', async (query) => {
    const response = await client.get(`/v1/actions/${action}/executions?${query}`);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', query.split('=')[0]!));
  });

  it('are not listed with a cursor of another action', async () => {
    const id = await newAction(client, { url: receiver.url });
    for (let i = 0; i < 2; i++) await newRun(id);
    const link = (await client.get(`/v1/actions/${id}/executions?limit=1`)).headers.get('link')!;
    const cursor = /cursor=([^>&]+)/.exec(link)![1];
    expect(await client.get(`/v1/actions/${action}/executions?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
  });
});
