import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
let id: string;
beforeAll(async () => {
  client = await newTenant();
  id = (await newCheck(client)).id;
});

const gaps = (query = '') => client.get(`/v1/checks/${id}/gaps${query}`);

describe('GET /v1/checks/{id}/gaps', () => {
  it('returns none for a new or push check', async () => {
    got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
    expect(got(await gaps(), 200)).toEqual([]);
    const probed = await newCheck(client, {
      check_type: 'http',
      target_url: 'http://127.77.0.1:9/',
      interval_seconds: 60,
    });
    expect(got(await client.get(`/v1/checks/${probed.id}/gaps`), 200)).toEqual([]);
  });

  it('accepts any time range, even one without any data', async () => {
    for (const query of [
      '?since=2000-01-01',
      '?since=2026-01-01T00:00:00Z&until=2025-01-01T00:00:00Z',
      '?since=2999-01-01',
      '?until=2999-01-01',
      '?limit=100000',
    ]) {
      expect(got(await gaps(query), 200)).toEqual([]);
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['since=now', 'since'],
    ['since=', 'since'],
    ['until=2026-13-01', 'until'],
    ['cursor=garbled', 'cursor'],
    [`cursor=${Buffer.from('[1,2]').toString('base64url')}`, 'cursor'],
  ])('rejects %s', async (query, path) => {
    expect(await gaps(`?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});
