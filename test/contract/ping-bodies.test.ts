import { beforeAll, describe, expect, it } from 'vitest';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got } from '#test/support/fleet.ts';
import { type Job, newJob, ping, pingsOf, statusAndText } from '#test/support/pings.ts';

let client: Client;
let reader: Client;
beforeAll(async () => {
  client = await newTenant();
  reader = await keyOf(client, { is_read_only: true });
});

const resultsOf = (id: string) => everything(client, `/v1/checks/${id}/results`);

describe('the list of pings', () => {
  it('shows each as it was sent, newest first, in pages', async () => {
    const job = await newJob(client);
    const headers = { 'user-agent': 'runitor/1.4.1' };
    for (const rest of ['/start', '/log', '/3', '', '/start', '']) {
      await ping(job, rest, { method: 'POST', headers });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const all = await pingsOf(client, job.id);
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

  it('does not include results that were sent with a key', async () => {
    const job = await newJob(client);
    await client.post(`/v1/checks/${job.id}/heartbeat`);
    await ping(job);
    await client.post(`/v1/checks/${job.id}/heartbeat`);
    expect(await pingsOf(client, job.id)).toHaveLength(1);
  });

  it('is hidden from other accounts', async () => {
    const job = await newJob(client);
    await ping(job, '', { method: 'POST', body: 'x' });
    const stranger = await newTenant();
    const [{ id }] = await pingsOf(client, job.id);
    expect(await stranger.get(`/v1/checks/${job.id}/pings`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await stranger.get(`/v1/checks/${job.id}/pings/${id}/body`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('shows no address to read-only users', async () => {
    const job = await newJob(client);
    await ping(job);
    expect(await pingsOf(reader, job.id)).toMatchObject([{ remote_addr: '********', kind: 'success' }]);
  });
});

describe('the body of a ping', () => {
  const bodyOf = async (job: Job, as = client) => {
    const [{ id }] = await pingsOf(client, job.id);
    return as.get(`/v1/checks/${job.id}/pings/${id}/body`);
  };

  it('is stored as text, and shown as ******** to read-only users', async () => {
    const job = await newJob(client);
    await ping(job, '', { method: 'POST', body: 'copied 3 tables\ngrün 日本\n' });
    const response = await bodyOf(job);
    expect(got(response, 200)).toBe('copied 3 tables\ngrün 日本\n');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(got(await bodyOf(job, reader), 200)).toBe('********');
  });

  it.each(['/start', '/log', '/fail', '/9'])('is stored for %s too', async (rest) => {
    const job = await newJob(client);
    await ping(job, rest, { method: 'POST', body: 'half way' });
    expect(got(await bodyOf(job), 200)).toBe('half way');
  });

  it('is cut at 10,000 bytes, between two characters; the rest is not read', async () => {
    const job = await newJob(client);
    for (const length of [10_000, 10_001, 10_000_000]) {
      const body = 'x'.repeat(length);
      expect(statusAndText(await ping(job, '', { method: 'POST', body }))).toBe('200 OK');
      expect(got(await bodyOf(job), 200)).toBe('x'.repeat(10_000));
    }
    await ping(job, '', { method: 'POST', body: `x${'ü'.repeat(5000)}` });
    expect(got(await bodyOf(job), 200)).toBe(`x${'ü'.repeat(4999)}`);
    expect(await pingsOf(client, job.id)).toMatchObject([
      { body_bytes: 9999 },
      ...[1, 2, 3].map(() => ({ body_bytes: 10_000 })),
    ]);
  });

  it('is well-formed text for any bytes', async () => {
    const job = await newJob(client);
    await ping(job, '', { method: 'POST', body: new Uint8Array([0x61, 0, 0xff, 0xc3, 0x28]) });
    expect(got(await bodyOf(job), 200)).toBe('a\u0000\ufffd\ufffd(');
  });

  it('does not exist if it is empty', async () => {
    const job = await newJob(client);
    await ping(job, '', { method: 'POST', body: '' });
    expect(await pingsOf(client, job.id)).toMatchObject([{ body_bytes: 0 }]);
    expect(await bodyOf(job)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is neither stored nor quoted with keep_body: false', async () => {
    const job = await newJob(client, { config: { keep_body: false } });
    await ping(job, '/fail', { method: 'POST', body: 'no space left' });
    expect(await pingsOf(client, job.id)).toMatchObject([{ body_bytes: 0 }]);
    expect(await bodyOf(job)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await resultsOf(job.id)).toMatchObject([{ error_message: 'reported as failed' }]);
  });

  it('contains no secrets, and neither does text that quotes it', async () => {
    const job = await newJob(client);
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
      await pingsOf(client, job.id),
      await resultsOf(job.id),
      await transitionsOf(client, job.id),
    ]);
    expect(kept).not.toContain('hunter2');
    expect(kept).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await resultsOf(job.id)).toMatchObject([{ error_message: 'exit status 2: token=******** was refused' }]);
  });

  it.each(['png_x', 'png_01j0000000zzzzzzzzzzzzzzzz', 'res_1', 'x'])('does not exist for the id %s', async (id) => {
    const job = await newJob(client);
    expect(await client.get(`/v1/checks/${job.id}/pings/${id}/body`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
