import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { type Job, newJob, ping, pingPathOf, pingsOf, sendPing, statusAndText } from '#test/support/pings.ts';

let client: Client;
let reader: Client;
beforeAll(async () => {
  client = await newTenant();
  reader = await keyOf(client, { is_read_only: true });
});

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);

describe('the ping URL of a push check', () => {
  it('is on its record, ends with a UUID of version 4, and is ******** to read-only users', async () => {
    const job = await newJob(client);
    expect(job.ping_url).toMatch(
      /^https?:\/\/[^/]+\/ping\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect((await read(job.id)).ping_url).toBe(job.ping_url);
    expect(got(await reader.get(`/v1/checks/${job.id}`), 200).ping_url).toBe('********');
    const all = got(await client.get('/v1/checks'), 200) as Job[];
    expect(all.find(({ id }) => id === job.id)!.ping_url).toBe(job.ping_url);
  });

  it('is accepted in an update, which ignores it; probed checks have none', async () => {
    const job = await newJob(client);
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

describe('the response to a ping', () => {
  it('is 200 OK, with the headers that clients expect', async () => {
    const response = await ping(await newJob(client));
    expect(statusAndText(response)).toBe('200 OK');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'access-control-allow-origin': '*',
      'ping-body-limit': '10000',
      'cache-control': 'no-store',
    });
  });

  it.each(['HEAD', 'GET', 'POST'])('is the same for %s', async (method) => {
    const job = await newJob(client);
    const response = await ping(job, '', { method });
    expect(statusAndText(response)).toBe(method === 'HEAD' ? '200 ' : '200 OK');
    expect(await pingsOf(client, job.id)).toMatchObject([{ method }]);
  });

  it.each(['', '/', '/start', '/fail', '/log', '/0', '/3', '/255'])('is 200 OK at …%s', async (rest) => {
    expect(statusAndText(await ping(await newJob(client), rest))).toBe('200 OK');
  });

  it('is the same for a UUID in capitals', async () => {
    const job = await newJob(client);
    const path = pingPathOf(job.ping_url).replace(/[^/]+$/, (uuid) => uuid.toUpperCase());
    expect(statusAndText(await sendPing(path))).toBe('200 OK');
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
  ])('at …%s is %s, and nothing is stored', async (rest, expected) => {
    const job = await newJob(client);
    expect(statusAndText(await ping(job, rest))).toBe(expected);
    expect(await pingsOf(client, job.id)).toEqual([]);
    expect(await read(job.id)).toMatchObject({ state: 'unknown', last_result: null });
  });

  const expectNothingAt = async (path: string) => {
    const response = await sendPing(path);
    expect(statusAndText(response)).toBe('404 not found');
    expect(response.headers.get('ping-body-limit')).toBe('10000');
  };

  it('is 404 not found without a UUID', () => expectNothingAt('/ping/'));

  it.each(['/ping/x', `/ping/${randomUUID()}`, `/ping/${randomUUID()}/fail`, '/ping/a/b/c/d'])(
    'is 404 not found at %s',
    expectNothingAt,
  );

  it.each(['PUT', 'DELETE', 'PATCH'])('is 405 to %s, with the allowed methods', async (method) => {
    const response = await ping(await newJob(client), '', { method });
    expect(statusAndText(response)).toBe('405 method not allowed');
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('is 200 OK without a key, and even with an invalid one', async () => {
    const job = await newJob(client);
    expect(statusAndText(await ping(job, '', { headers: { authorization: 'Bearer fw_wrong' } }))).toBe('200 OK');
  });

  it('is 404 after the deletion of the check or its entity', async () => {
    const [job, other] = [await newJob(client), await newJob(client)];
    await client.del(`/v1/checks/${job.id}`);
    expect(statusAndText(await ping(job))).toBe('404 not found');
    const { entity_id } = await read(other.id);
    const entities = got(await client.get('/v1/blueprints/service/entities'), 200) as { id: string; slug: string }[];
    await client.del(`/v1/blueprints/service/entities/${entities.find(({ id }) => id === entity_id)!.slug}`);
    expect(statusAndText(await ping(other))).toBe('404 not found');
  });
});

describe('a new ping URL', () => {
  const rotate = async (job: Job, body: object = {}) =>
    got(await client.post(`/v1/checks/${job.id}/rotate-ping-url`, body), 200) as Job;

  it('replaces the old one immediately', async () => {
    const job = await newJob(client);
    const next = await rotate(job);
    expect(next.ping_url).not.toBe(job.ping_url);
    expect(statusAndText(await ping(job))).toBe('404 not found');
    expect(statusAndText(await ping(next))).toBe('200 OK');
    expect((await read(job.id)).ping_url).toBe(next.ping_url);
  });

  it('can overlap with the old one, but not with the one before', async () => {
    const job = await newJob(client);
    const second = await rotate(job, { keep_old_seconds: 600 });
    expect([statusAndText(await ping(job)), statusAndText(await ping(second))]).toEqual(['200 OK', '200 OK']);
    const third = await rotate(second, { keep_old_seconds: 600 });
    expect([
      statusAndText(await ping(job)),
      statusAndText(await ping(second)),
      statusAndText(await ping(third)),
    ]).toEqual(['404 not found', '200 OK', '200 OK']);
  });

  it('ends the old one at the given time', async () => {
    const job = await newJob(client);
    await rotate(job, { keep_old_seconds: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(statusAndText(await ping(job))).toBe('404 not found');
  });

  it.each([-1, 604_801, 1.5, '60'])('is rejected for keep_old_seconds: %s', async (keep_old_seconds) => {
    const job = await newJob(client);
    expect(await client.post(`/v1/checks/${job.id}/rotate-ping-url`, { keep_old_seconds })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'keep_old_seconds'),
    );
  });

  it('requires a key that can write', async () => {
    const job = await newJob(client);
    expect(await reader.post(`/v1/checks/${job.id}/rotate-ping-url`, {})).toMatchObject(failure(403, 'READ_ONLY'));
  });
});
