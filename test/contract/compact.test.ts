import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

let url: string;
let client: Client;
beforeAll(async () => {
  ({ url } = await target());
  client = await newTenant();
  for (let i = 0; i < 12; i++) await newBlueprint(client, { description: `The ${i}. of several kinds of things.` });
});

const LONG = '/v1/blueprints';
const SHORT = '/v1/blueprints?limit=1';

const request = (path: string, headers: Record<string, string>, method = 'GET', body?: string) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${client.key}`, 'accept-encoding': 'identity', ...headers },
    ...(body !== undefined && { body }),
  });

/** Headers that differ between responses to the same request, such as ids, times and counters. */
const VARYING = ['x-request-id', 'date', 'connection', 'keep-alive', 'ratelimit', 'apigw-requestid'];
const headersFrom = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !VARYING.includes(name)));
/** Returns the headers that show how a response was sent. */
const form = ({ headers }: Response) =>
  ['content-encoding', 'vary', 'etag'].map((name) => headers.get(name)?.toLowerCase() ?? null);

describe('a long response to a read', () => {
  it.each(['gzip', 'GZIP', 'br, gzip', 'br;q=1.0, gzip;q=0.2', '*', 'deflate, *;q=0.1', 'identity;q=0, gzip ; q=1'])(
    'is compressed when the client accepts "%s", with the same content',
    async (accepted) => {
      const [plain, packed] = [await request(LONG, {}), await request(LONG, { 'accept-encoding': accepted })];
      expect(packed.status).toBe(200);
      expect(form(packed)).toEqual(['gzip', 'accept-encoding', form(plain)[2]]);
      const lengths = [plain, packed].map(({ headers }) => Number(headers.get('content-length')));
      expect(lengths[1]).toBeLessThan(lengths[0]! / 2);
      const { 'content-encoding': _packed, 'content-length': _length, ...rest } = headersFrom(packed);
      const { 'content-length': _plainLength, ...expected } = headersFrom(plain);
      expect(rest).toEqual(expected);
      expect(await packed.text()).toBe(await plain.text());
    },
  );

  it.each(['identity', 'gzip;q=0', 'gzip; q=0.000, *', '*;q=0', 'br', 'xgzip', 'gzip;q=x', ';;,,', ''])(
    'is not compressed when the client accepts "%s"',
    async (accepted) => {
      const response = await request(LONG, { 'accept-encoding': accepted });
      expect(response.status).toBe(200);
      expect(form(response)).toEqual([null, 'accept-encoding', expect.stringMatching(/^w\/"[\w-]{22}"$/)]);
      expect(await response.json()).toHaveLength(12);
    },
  );

  it('has the same headers for HEAD, and no body', async () => {
    for (const accepted of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': accepted };
      const [whole, bare] = [await request(LONG, headers), await request(LONG, headers, 'HEAD')];
      expect(headersFrom(bare)).toEqual(headersFrom(whole));
      expect(await bare.text()).toBe('');
      await whole.text();
    }
  });

  it('is compressed for an error too, without an ETag', async () => {
    const query = Array.from({ length: 60 }, (_, i) => `not_known_${i}=1`).join('&');
    const [plain, packed] = [
      await request(`${LONG}?${query}`, {}),
      await request(`${LONG}?${query}`, { 'accept-encoding': 'gzip' }),
    ];
    expect([plain.status, packed.status]).toEqual([400, 400]);
    expect([form(plain), form(packed)]).toEqual([
      [null, 'accept-encoding', null],
      ['gzip', 'accept-encoding', null],
    ]);
    expect(await packed.json()).toEqual(await plain.json());
  });
});

describe('an ETag', () => {
  const tagOf = async (path = LONG) => (await client.get(path)).headers.get('etag')!;

  it('allows a 304 without a body for a client that has the content', async () => {
    const etag = await tagOf();
    for (const method of ['GET', 'HEAD']) {
      for (const accepted of ['gzip', 'identity']) {
        for (const list of [etag, etag.slice(2), `"other", ${etag}`, `${etag},W/"other"`]) {
          const response = await request(LONG, { 'if-none-match': list, 'accept-encoding': accepted }, method);
          expect(response.status).toBe(304);
          expect(form(response)).toEqual([null, 'accept-encoding', etag.toLowerCase()]);
          expect(response.headers.get('cache-control')).toBe('no-store');
          expect(response.headers.get('x-request-id')).toMatch(/\S{8,}/);
          expect(await response.text()).toBe('');
        }
      }
    }
  });

  it('changes when something changes, and differs between pages', async () => {
    const etag = await tagOf();
    expect(await tagOf()).toBe(etag);
    expect(await tagOf(`${LONG}?limit=11`)).not.toBe(etag);
    got(await client.put(`${LONG}/${(await client.get(SHORT)).body[0].slug}`, { name: 'Another name' }), 200);
    const response = await request(LONG, { 'if-none-match': etag });
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).not.toBe(etag);
    expect(JSON.stringify(await response.json())).toContain('Another name');
  });

  it.each(['"other"', 'W/""', 'x', '', ',', '*x'])('has no effect if it is unknown: %s', async (tag) => {
    expect((await request(LONG, { 'if-none-match': tag })).status).toBe(200);
  });

  it('does not replace the API key', async () => {
    const response = await fetch(url + LONG, { headers: { 'if-none-match': await tagOf() } });
    expect(response.status).toBe(401);
    await response.text();
  });

  it('is in the API description with its 304 response', async () => {
    const headers = { 'if-none-match': await tagOf() };
    expect(await client.send('GET', LONG, { headers })).toMatchObject({ status: 304, body: undefined });
  });
});

describe('compression and ETags', () => {
  const gzip = { 'accept-encoding': 'gzip' };

  it('are omitted for a short response', async () => {
    const response = await request(SHORT, gzip);
    expect(form(response)).toEqual([null, null, null]);
    expect(await response.json()).toHaveLength(1);
  });

  it('are omitted for the response to a change, which can contain both request data and a secret', async () => {
    const body = JSON.stringify({ slug: 'long', name: 'Long', description: 'x'.repeat(3000) });
    const response = await request(LONG, gzip, 'POST', body);
    expect([response.status, ...form(response)]).toEqual([201, null, null, null]);
    expect((await response.text()).length).toBeGreaterThan(3000);
  });

  it('are omitted for the response to a push', async () => {
    const { id } = await newCheck(client);
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`not_known_${i}`, 1])));
    const response = await request(`/v1/checks/${id}/results`, gzip, 'POST', body);
    expect([response.status, ...form(response)]).toEqual([400, null, null, null]);
    const text = await response.text();
    expect(text.length).toBeGreaterThan(1024);
    expect({ status: 400, body: JSON.parse(text) }).toMatchObject({ ...failure(400, 'VALIDATION_ERROR') });
  });
});
