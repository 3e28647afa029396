import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

let client: Client;
let id: string;
/** Times of the results, newest first, a minute apart. */
let times: string[];
beforeAll(async () => {
  client = await newTenant();
  id = (await newCheck(client)).id;
  const start = Date.now() - 120 * MINUTE;
  times = Array.from({ length: 60 }, (_, i) => iso(start - i * MINUTE));
  for (const checked_at of times) {
    got(await client.post(`/v1/checks/${id}/results`, { success: true, latency_ms: 5, checked_at }), 201);
  }
});

const list = async (query = '') => got(await client.get(`/v1/checks/${id}/results${query}`), 200);
const timesOf = (results: { checked_at: string }[]) => results.map(({ checked_at }) => checked_at);

describe('GET /v1/checks/{id}/results', () => {
  it('returns the latest 50 results by default, and a cursor for the rest', async () => {
    const { headers, body } = await client.get(`/v1/checks/${id}/results`);
    expect(timesOf(body.results)).toEqual(times.slice(0, 50));
    expect(Object.keys(body)).toEqual(['results', 'next_cursor']);
    const rest = await list(`?cursor=${body.next_cursor}`);
    expect(timesOf(rest.results)).toEqual(times.slice(50));
    expect(rest.next_cursor).toBeNull();
    expect(headers.get('link')).toBe(`</v1/checks/${id}/results?cursor=${body.next_cursor}>; rel="next"`);
  });

  it.each([1, 7, 30, 59, 60, 500, 100_000])('returns each result once in pages of %i', async (limit) => {
    const all = await everything(client, `/v1/checks/${id}/results?limit=${limit}`);
    expect(timesOf(all)).toEqual(times);
    expect(new Set(all.map((result) => result.id)).size).toBe(60);
  });

  it('has no next page when the last page is exactly full', async () => {
    const { headers, body } = await client.get(`/v1/checks/${id}/results?limit=60`);
    expect(body.next_cursor).toBeNull();
    expect(headers.get('link')).toBeNull();
  });

  it('returns results from `since` (inclusive) to `until` (exclusive), with or without a time of day or an offset', async () => {
    const [until, since] = [times[10]!, times[20]!];
    expect(timesOf((await list(`?since=${since}&until=${until}`)).results)).toEqual(times.slice(11, 21));
    const offset = encodeURIComponent(iso(Date.parse(since) + 60 * MINUTE).replace('Z', '+01:00'));
    expect(timesOf((await list(`?since=${offset}`)).results)).toEqual(times.slice(0, 21));
    expect(timesOf((await list(`?until=${until.replace('Z', '')}&limit=500`)).results)).toEqual(times.slice(11));
    expect((await list(`?since=${until}&until=${since}`)).results).toEqual([]);
    for (const nothing of ['since=5138-11-17', 'until=1970-01-01', 'until=0001-01-01', 'since=9999-12-31']) {
      expect((await list(`?${nothing}`)).results).toEqual([]);
    }
    for (const all of ['since=0001-01-01', 'until=5138-11-17']) {
      expect((await list(`?limit=500&${all}`)).results).toHaveLength(60);
    }
    const paged = await everything(client, `/v1/checks/${id}/results?since=${since}&until=${until}&limit=3`);
    expect(timesOf(paged)).toEqual(times.slice(11, 21));
  });

  it('returns an empty page for a check without results', async () => {
    const other = await newCheck(client);
    expect(got(await client.get(`/v1/checks/${other.id}/results`), 200)).toEqual({ results: [], next_cursor: null });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=many', 'limit'],
    ['limit=', 'limit'],
    ['since=yesterday', 'since'],
    ['since=', 'since'],
    ['since=1700000000', 'since'],
    ['since=2026-02-30', 'since'],
    ['until=2026-11-21T25:00:00Z', 'until'],
    ['cursor=garbled', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${Buffer.from('["x"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('{}').toString('base64url')}`, 'cursor'],
  ])('rejects %s', async (query, path) => {
    expect(await client.get(`/v1/checks/${id}/results?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('rejects a cursor of another check or another account', async () => {
    const cursor = (await list('?limit=1')).next_cursor;
    const other = await newCheck(client);
    expect(await client.get(`/v1/checks/${other.id}/results?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
    const stranger = await newTenant();
    const foreign = await newCheck(stranger);
    expect(await stranger.get(`/v1/checks/${foreign.id}/results?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
  });

  it('masks URLs in error messages for a read-only key', async () => {
    const { id: failing } = await newCheck(client);
    const error_message = 'GET https://u:p@example.com/x?token=s3cret answered 500';
    got(await client.post(`/v1/checks/${failing}/results`, { success: false, latency_ms: 1, error_message }), 201);
    const reader = await keyOf(client, { is_read_only: true });
    const [own] = got(await client.get(`/v1/checks/${failing}/results`), 200).results;
    const [shown] = got(await reader.get(`/v1/checks/${failing}/results`), 200).results;
    expect(own.error_message).toBe(error_message);
    expect(shown).toEqual({ ...own, error_message: 'GET ******** answered 500' });
  });
});

const READS = ['results', 'transitions', 'gaps', 'sparkline'];

describe.each(READS)('GET /v1/checks/{id}/%s', (what) => {
  it.each(['chk_none', 'none', '%00', '..%2F..', 'CHECK'])('returns 404 for the check %s', async (none) => {
    expect(await client.get(`/v1/checks/${none}/${what}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('returns the same 404 for a check of another account', async () => {
    const stranger = await newTenant();
    const foreign = await stranger.get(`/v1/checks/${id}/${what}?limit=0&hours=0`);
    const made_up = await stranger.get(`/v1/checks/${id.slice(0, -1)}x/${what}`);
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(foreign.body.error.replace(id, '')).toBe(made_up.body.error.replace(`${id.slice(0, -1)}x`, ''));
  });

  it('returns 404 for a deleted check', async () => {
    const gone = await newCheck(client);
    expect((await client.del(`/v1/checks/${gone.id}`)).status).toBe(204);
    expect(await client.get(`/v1/checks/${gone.id}/${what}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is allowed for a read-only key', async () => {
    const reader = await keyOf(client, { is_read_only: true });
    expect((await reader.get(`/v1/checks/${id}/${what}`)).status).toBe(200);
  });
});
