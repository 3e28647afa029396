import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';
import { type PingAnswer, pingPathOf, sendPing } from '#test/support/pings.ts';

let client: Client;
let reader: Client;
beforeAll(async () => {
  client = await newTenant();
  reader = await keyOf(client, { is_read_only: true });
});

type Check = { id: string; ping_url: string };
const newJob = (more: object = {}): Promise<Check> =>
  newCheck(client, { check_type: 'push', interval_seconds: 3600, failure_threshold: 1, ...more });
const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = (id: string) => everything(client, `/v1/checks/${id}/results`);
const pingsOf = async (id: string, as = client) => got(await as.get(`/v1/checks/${id}/pings`), 200).pings;

const text = (answer: PingAnswer) => `${answer.status} ${answer.text}`;
const ping = (check: Check, rest = '', more: Parameters<typeof sendPing>[1] = {}) =>
  sendPing(pingPathOf(check.ping_url) + rest, more);

describe('the address of a push check', () => {
  it('is on its record, ends with a UUID of version 4, and is ******** to who may only read', async () => {
    const job = await newJob();
    expect(job.ping_url).toMatch(
      /^https?:\/\/[^/]+\/ping\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect((await read(job.id)).ping_url).toBe(job.ping_url);
    expect(got(await reader.get(`/v1/checks/${job.id}`), 200).ping_url).toBe('********');
    const all = got(await client.get('/v1/checks'), 200) as Check[];
    expect(all.find(({ id }) => id === job.id)!.ping_url).toBe(job.ping_url);
  });

  it('may be sent along in a change, which leaves it; a check that probes has none', async () => {
    const job = await newJob();
    expect(got(await client.put(`/v1/checks/${job.id}`, { ...job, name: 'renamed' }), 200)).toMatchObject({
      ping_url: job.ping_url,
      name: 'renamed',
    });
    const http = await newCheck(client, {
      check_type: 'http',
      target_url: 'https://127.77.0.1/',
      interval_seconds: 86_400,
    });
    expect(http).not.toHaveProperty('ping_url');
    expect(await client.post(`/v1/checks/${http.id}/rotate-ping-url`, {})).toMatchObject(failure(409, 'CONFLICT'));
  });
});

describe('what a ping is answered', () => {
  it('200 OK, with the headers that clients know', async () => {
    const answer = await ping(await newJob());
    expect(text(answer)).toBe('200 OK');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'access-control-allow-origin': '*',
      'ping-body-limit': '10000',
      'cache-control': 'no-store',
    });
  });

  it.each(['HEAD', 'GET', 'POST'])('by %s', async (method) => {
    const job = await newJob();
    const answer = await ping(job, '', { method });
    expect(text(answer)).toBe(method === 'HEAD' ? '200 ' : '200 OK');
    expect(await pingsOf(job.id)).toMatchObject([{ method }]);
  });

  it.each(['', '/', '/start', '/fail', '/log', '/0', '/3', '/255'])('200 OK at …%s', async (rest) => {
    expect(text(await ping(await newJob(), rest))).toBe('200 OK');
  });

  it('a UUID in capitals is the same', async () => {
    const job = await newJob();
    const path = pingPathOf(job.ping_url).replace(/[^/]+$/, (uuid) => uuid.toUpperCase());
    expect(text(await sendPing(path))).toBe('200 OK');
    expect(await read(job.id)).toMatchObject({ state: 'up' });
  });

  it.each([
    ['/256', '400 invalid url format'],
    ['/99999999999999999999', '400 invalid url format'],
    ['/-1', '404 not found'],
    ['/1.5', '404 not found'],
    ['/x', '404 not found'],
    ['/start/', '404 not found'],
    ['/start/1', '404 not found'],
    ['?rid=1', '400 invalid uuid format'],
    ['?rid=', '400 invalid uuid format'],
    [`?rid=${randomUUID()}&rid=${randomUUID()}`, '400 invalid uuid format'],
  ])('…%s: %s, and nothing is kept', async (rest, answered) => {
    const job = await newJob();
    expect(text(await ping(job, rest))).toBe(answered);
    expect(await pingsOf(job.id)).toEqual([]);
    expect(await read(job.id)).toMatchObject({ state: 'unknown', last_result: null });
  });

  it.each(['/ping/', '/ping/x', `/ping/${randomUUID()}`, `/ping/${randomUUID()}/fail`, '/ping/a/b/c/d'])(
    '404 not found at %s',
    async (path) => {
      const answer = await sendPing(path);
      expect(text(answer)).toBe('404 not found');
      expect(answer.headers.get('ping-body-limit')).toBe('10000');
    },
  );

  it.each(['PUT', 'DELETE', 'PATCH'])('405 to %s, with what is possible', async (method) => {
    const answer = await ping(await newJob(), '', { method });
    expect(text(answer)).toBe('405 method not allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('needs no key, and looks at none', async () => {
    const job = await newJob();
    expect(text(await ping(job, '', { headers: { authorization: 'Bearer fw_wrong' } }))).toBe('200 OK');
  });

  it('404 once the check is deleted, also with its entity', async () => {
    const [job, other] = [await newJob(), await newJob()];
    await client.del(`/v1/checks/${job.id}`);
    expect(text(await ping(job))).toBe('404 not found');
    const { entity_id } = await read(other.id);
    const entities = got(await client.get('/v1/blueprints/service/entities'), 200) as { id: string; slug: string }[];
    await client.del(`/v1/blueprints/service/entities/${entities.find(({ id }) => id === entity_id)!.slug}`);
    expect(text(await ping(other))).toBe('404 not found');
  });
});

describe('what becomes of a ping', () => {
  it('a success makes the check up, and is a result', async () => {
    const job = await newJob();
    await ping(job);
    expect(await read(job.id)).toMatchObject({ state: 'up' });
    expect(await resultsOf(job.id)).toMatchObject([
      { success: true, status_code: 0, latency_ms: 0, error_message: '', error_kind: null, kind: 'push' },
    ]);
  });

  it('/fail is a failure with the last line of the body, and changes the state at once', async () => {
    const job = await newJob();
    await ping(job, '/fail', { method: 'POST', body: 'dumping shop\npg_dump: error: connection refused\n\n' });
    const [result] = await resultsOf(job.id);
    const error_message = 'reported as failed: pg_dump: error: connection refused';
    expect(result).toMatchObject({ success: false, status_code: 0, error_kind: 'reported', error_message });
    const [down] = await transitionsOf(client, job.id);
    expect(down).toMatchObject({ check_to_state: 'down', error_message });
  });

  it('an exit status is the status code; 0 is a success', async () => {
    const job = await newJob();
    await ping(job, '/3', { method: 'POST', body: 'pg_dump: error: connection refused' });
    await ping(job, '/7');
    await ping(job, '/0');
    expect(await resultsOf(job.id)).toMatchObject([
      { success: true, status_code: 0, error_message: '' },
      { success: false, status_code: 7, error_message: 'exit status 7' },
      { success: false, status_code: 3, error_message: 'exit status 3: pg_dump: error: connection refused' },
    ]);
  });

  it('a long last line is cut at 200 characters in what alerts quote', async () => {
    const job = await newJob();
    await ping(job, '/fail', { method: 'POST', body: 'x'.repeat(300) });
    const [{ error_message }] = (await resultsOf(job.id)) as [{ error_message: string }];
    expect(error_message).toBe(`reported as failed: ${'x'.repeat(199)}…`);
  });

  it('a start is no result; its end takes from start to end', async () => {
    const job = await newJob();
    await ping(job, '/start');
    expect(await resultsOf(job.id)).toEqual([]);
    expect(await read(job.id)).toMatchObject({ state: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await ping(job);
    const [result] = await resultsOf(job.id);
    expect(result.latency_ms).toBeGreaterThanOrEqual(25);
    expect(result.latency_ms).toBeLessThan(30_000);
    await ping(job);
    expect((await resultsOf(job.id))[0].latency_ms).toBe(0);
    const [, ended, start] = await pingsOf(job.id);
    expect(ended).toMatchObject({ kind: 'success', duration_ms: result.latency_ms });
    expect(start).toMatchObject({ kind: 'start', duration_ms: null });
  });

  it('two runs at once are told apart by their ids', async () => {
    const job = await newJob();
    const [a, b] = [randomUUID(), randomUUID()];
    await ping(job, `/start?rid=${a}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await ping(job, `/start?rid=${b}`);
    await ping(job, `?rid=${a.toUpperCase()}`);
    const [{ latency_ms }] = await resultsOf(job.id);
    expect(latency_ms).toBeGreaterThanOrEqual(35);
    await ping(job, `/1?rid=${b}`);
    expect(await pingsOf(job.id)).toMatchObject([
      { kind: 'fail', exit_status: 1, rid: b, duration_ms: expect.any(Number) },
      { kind: 'success', exit_status: null, rid: a, duration_ms: latency_ms },
      { kind: 'start', rid: b },
      { kind: 'start', rid: a },
    ]);
    await ping(job, `?rid=${a}`);
    expect((await resultsOf(job.id))[0].latency_ms).toBe(0);
  });

  it('a heartbeat ends a run too and is measured; a result keeps the latency that it says', async () => {
    const job = await newJob();
    await ping(job, '/start');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const beat = got(await client.post(`/v1/checks/${job.id}/heartbeat`), 201);
    expect(beat.latency_ms).toBeGreaterThanOrEqual(15);
    await ping(job, '/start');
    const body = { success: true, latency_ms: 5400 };
    expect(got(await client.post(`/v1/checks/${job.id}/results`, body), 201).latency_ms).toBe(5400);
    expect(got(await client.post(`/v1/checks/${job.id}/heartbeat`), 201).latency_ms).toBe(0);
  });

  it('/log is kept and changes nothing', async () => {
    const job = await newJob();
    await ping(job, '/log', { method: 'POST', body: 'half way' });
    expect(await read(job.id)).toMatchObject({ state: 'unknown', last_result: null });
    expect(await resultsOf(job.id)).toEqual([]);
    expect(await pingsOf(job.id)).toMatchObject([{ kind: 'log', body_bytes: 8 }]);
  });

  it('to a disabled check is taken and kept, and changes nothing', async () => {
    const job = await newJob({ enabled: false });
    for (const rest of ['/start', '', '/fail', '/log']) expect(text(await ping(job, rest))).toBe('200 OK');
    expect(await read(job.id)).toMatchObject({ state: 'unknown', enabled: false });
    expect((await pingsOf(job.id)).map(({ kind }: { kind: string }) => kind)).toEqual([
      'log',
      'fail',
      'success',
      'start',
    ]);
  });

  it('with an Idempotency-Key counts once, also a start', async () => {
    const job = await newJob({ failure_threshold: 3 });
    const again = (rest: string, key: string) => ping(job, rest, { headers: { 'idempotency-key': key } });
    for (let i = 0; i < 3; i++) expect(text(await again('/fail', 'run-1'))).toBe('200 OK');
    for (let i = 0; i < 2; i++) expect(text(await again('/start', 'run-2'))).toBe('200 OK');
    expect(await read(job.id)).toMatchObject({ state: 'unknown', consecutive_failures: 1 });
    expect(await pingsOf(job.id)).toHaveLength(2);
  });

  it('thirty at once are all kept, and end each run once', async () => {
    const job = await newJob();
    const rids = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(rids.map((rid) => ping(job, `/start?rid=${rid}`)));
    const answers = await Promise.all([...rids, ...rids].map((rid) => ping(job, `?rid=${rid}`)));
    expect(new Set(answers.map(text))).toEqual(new Set(['200 OK']));
    const pings = (await pingsOf(job.id)) as { kind: string; rid: string; duration_ms: number | null }[];
    expect(pings.filter(({ kind }) => kind === 'success')).toHaveLength(20);
    expect(await resultsOf(job.id)).toHaveLength(20);
  });
});

describe('the list of pings', () => {
  it('shows each as it came, newest first, in pages', async () => {
    const job = await newJob();
    const headers = { 'user-agent': 'runitor/1.4.1' };
    for (const rest of ['/start', '/log', '/3', '', '/start', '']) {
      await ping(job, rest, { method: 'POST', headers });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const all = await pingsOf(job.id);
    expect(all.map(({ kind }: { kind: string }) => kind)).toEqual([
      'success',
      'start',
      'success',
      'fail',
      'log',
      'start',
    ]);
    expect(all[3]).toEqual({
      id: expect.stringMatching(/^png_[0-9a-z]{26}$/),
      kind: 'fail',
      exit_status: 3,
      rid: null,
      duration_ms: expect.any(Number),
      at: TIME,
      method: 'POST',
      remote_addr: expect.stringMatching(/[0-9a-f.:]+/),
      user_agent: 'runitor/1.4.1',
      body_bytes: 0,
    });
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = got(await client.get(`/v1/checks/${job.id}/pings?limit=2${cursor && `&cursor=${cursor}`}`), 200);
      expect(page.pings.length).toBeLessThanOrEqual(2);
      paged.push(...page.pings);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
  });

  it('has no results that came by a key', async () => {
    const job = await newJob();
    await client.post(`/v1/checks/${job.id}/heartbeat`);
    await ping(job);
    await client.post(`/v1/checks/${job.id}/heartbeat`);
    expect(await pingsOf(job.id)).toHaveLength(1);
  });

  it("is nobody else's", async () => {
    const job = await newJob();
    await ping(job, '', { method: 'POST', body: 'x' });
    const stranger = await newTenant();
    const [{ id }] = await pingsOf(job.id);
    expect(await stranger.get(`/v1/checks/${job.id}/pings`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await stranger.get(`/v1/checks/${job.id}/pings/${id}/body`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('shows no address to who may only read', async () => {
    const job = await newJob();
    await ping(job);
    expect(await pingsOf(job.id, reader)).toMatchObject([{ remote_addr: '********', kind: 'success' }]);
  });
});

describe('the body of a ping', () => {
  const bodyOf = async (job: Check, as = client) => {
    const [{ id }] = await pingsOf(job.id);
    return as.get(`/v1/checks/${job.id}/pings/${id}/body`);
  };

  it('is kept as text, and ******** to who may only read', async () => {
    const job = await newJob();
    await ping(job, '', { method: 'POST', body: 'copied 3 tables\ngrün 日本\n' });
    const answer = await bodyOf(job);
    expect(got(answer, 200)).toBe('copied 3 tables\ngrün 日本\n');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(got(await bodyOf(job, reader), 200)).toBe('********');
  });

  it.each(['/start', '/log', '/fail', '/9'])('also of %s', async (rest) => {
    const job = await newJob();
    await ping(job, rest, { method: 'POST', body: 'said' });
    expect(got(await bodyOf(job), 200)).toBe('said');
  });

  it('is cut at 10,000 bytes, between two characters; the rest is never read', async () => {
    const job = await newJob();
    for (const length of [10_000, 10_001, 10_000_000]) {
      const body = 'x'.repeat(length);
      expect(text(await ping(job, '', { method: 'POST', body }))).toBe('200 OK');
      expect(got(await bodyOf(job), 200)).toBe('x'.repeat(10_000));
    }
    await ping(job, '', { method: 'POST', body: `x${'ü'.repeat(5000)}` });
    expect(got(await bodyOf(job), 200)).toBe(`x${'ü'.repeat(4999)}`);
    expect(await pingsOf(job.id)).toMatchObject([
      { body_bytes: 9999 },
      ...[1, 2, 3].map(() => ({ body_bytes: 10_000 })),
    ]);
  });

  it('of any bytes is well-formed text', async () => {
    const job = await newJob();
    await ping(job, '', { method: 'POST', body: new Uint8Array([0x61, 0, 0xff, 0xc3, 0x28]) });
    expect(got(await bodyOf(job), 200)).toBe('a\u0000\ufffd\ufffd(');
  });

  it('that is empty is none', async () => {
    const job = await newJob();
    await ping(job, '', { method: 'POST', body: '' });
    expect(await pingsOf(job.id)).toMatchObject([{ body_bytes: 0 }]);
    expect(await bodyOf(job)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is neither kept nor quoted with keep_body: false', async () => {
    const job = await newJob({ config: { keep_body: false } });
    await ping(job, '/fail', { method: 'POST', body: 'no space left' });
    expect(await pingsOf(job.id)).toMatchObject([{ body_bytes: 0 }]);
    expect(await bodyOf(job)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await resultsOf(job.id)).toMatchObject([{ error_message: 'reported as failed' }]);
  });

  it('has no secrets in it, and neither has what quotes it', async () => {
    const job = await newJob();
    const body = [
      'PGPASSWORD=hunter2 pg_dump',
      '"api_key": "hunter2"',
      'Authorization: Bearer hunter2',
      'postgres://shop:hunter2@db1/shop',
      '-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----',
      'AKIAIOSFODNN7EXAMPLE',
      'token=hunter2 was refused',
    ].join('\n');
    await ping(job, '/2', { method: 'POST', body });
    const kept = JSON.stringify([
      got(await bodyOf(job), 200),
      await pingsOf(job.id),
      await resultsOf(job.id),
      await transitionsOf(client, job.id),
    ]);
    expect(kept).not.toContain('hunter2');
    expect(kept).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await resultsOf(job.id)).toMatchObject([{ error_message: 'exit status 2: token=******** was refused' }]);
  });

  it.each(['png_x', 'png_01j0000000zzzzzzzzzzzzzzzz', 'res_1', 'x'])('%s has none', async (id) => {
    const job = await newJob();
    expect(await client.get(`/v1/checks/${job.id}/pings/${id}/body`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('another address', () => {
  const rotate = async (job: Check, body: object = {}) =>
    got(await client.post(`/v1/checks/${job.id}/rotate-ping-url`, body), 200) as Check;

  it('takes the place of the first at once', async () => {
    const job = await newJob();
    const next = await rotate(job);
    expect(next.ping_url).not.toBe(job.ping_url);
    expect(text(await ping(job))).toBe('404 not found');
    expect(text(await ping(next))).toBe('200 OK');
    expect((await read(job.id)).ping_url).toBe(next.ping_url);
  });

  it('may be beside the first for a while, and the one before that is gone', async () => {
    const job = await newJob();
    const second = await rotate(job, { keep_old_seconds: 600 });
    expect([text(await ping(job)), text(await ping(second))]).toEqual(['200 OK', '200 OK']);
    const third = await rotate(second, { keep_old_seconds: 600 });
    expect([text(await ping(job)), text(await ping(second)), text(await ping(third))]).toEqual([
      '404 not found',
      '200 OK',
      '200 OK',
    ]);
  });

  it('ends when it was said', async () => {
    const job = await newJob();
    await rotate(job, { keep_old_seconds: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(text(await ping(job))).toBe('404 not found');
  });

  it.each([-1, 604_801, 1.5, '60'])('keep_old_seconds: %s is refused', async (keep_old_seconds) => {
    const job = await newJob();
    expect(await client.post(`/v1/checks/${job.id}/rotate-ping-url`, { keep_old_seconds })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'keep_old_seconds'),
    );
  });

  it('is for who may write', async () => {
    const job = await newJob();
    expect(await reader.post(`/v1/checks/${job.id}/rotate-ping-url`, {})).toMatchObject(failure(403, 'READ_ONLY'));
  });
});
