import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

const BADGES = '/v1/badges';

let client: Client;
let url: string;
beforeAll(async () => {
  client = await newTenant();
  ({ url } = await target());
});

/** Requests a badge without a key. */
async function visit(address: string, method = 'GET', headers: Record<string, string> = {}) {
  const response = await fetch(new URL(new URL(address, url).pathname + new URL(address, url).search, url), {
    method,
    headers,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const jsonOf = (svg: string): string => svg.replace('.svg', '.json');
const shown = async (svg: string) => JSON.parse((await visit(jsonOf(svg))).text);
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 120, error_message: 'CANARY-TEXT' }), 201);
const made = async (body: object) => got(await client.post(BADGES, body), 201);

/** Properties of the endpoint schema of shields.io, which rejects other properties. */
const SHIELDS_IO: Readonly<Record<string, unknown>> = {
  schemaVersion: 1,
  label: expect.any(String),
  message: expect.stringMatching(/./),
  color: expect.stringMatching(/^(?:bright)?green$|^yellow$|^orange$|^red$|^blue$|^lightgrey$/),
  cacheSeconds: expect.any(Number),
};

describe('a badge', () => {
  it('follows the endpoint schema of shields.io in every kind, with and without data', async () => {
    const check = await newCheck(client, { failure_threshold: 1 });
    const badges = [await made({ check_id: check.id }), await made({ entity_id: check.entity_id })];
    const addresses = badges.flatMap(({ urls }) => Object.values<string | null>(urls)).filter((one) => one !== null);
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const success of [undefined, true, false]) {
      if (success !== undefined) await push(check.id, success);
      for (const address of addresses) expect(await shown(address), address).toEqual(SHIELDS_IO);
    }
    const { headers } = await visit(jsonOf(addresses[0]!));
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('shows state, uptime and latency of a check to everyone', async () => {
    const check = await newCheck(client, { name: 'CANARY-NAME', failure_threshold: 1, labels: { canary: 'CANARY-L' } });
    const { urls, ...record } = await made({ label: 'Web shop', check_id: check.id });
    expect(record).toMatchObject({ label: 'Web shop', check_id: check.id, entity_id: null, status_page_id: null });
    const shop = { schemaVersion: 1, label: 'Web shop', cacheSeconds: 60 };
    expect(await shown(urls.state)).toEqual({ ...shop, message: 'unknown', color: 'lightgrey' });
    await push(check.id, true);
    expect(await shown(urls.state)).toEqual({ ...shop, message: 'up', color: 'brightgreen' });
    expect(await shown(`${urls.uptime}?period=24h`)).toEqual({ ...shop, message: '100%', color: 'brightgreen' });
    expect(await shown(`${urls.latency}?period=7d`)).toMatchObject({ message: /^1[12]\d ms$/, color: 'blue' });
    await push(check.id, false);
    expect(await shown(urls.state)).toEqual({ ...shop, message: 'down', color: 'red' });
    const svg = await visit(urls.state);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(svg.text).toContain('<title>Web shop: down</title>');
    for (const address of [urls.state, urls.uptime, urls.latency].flatMap((one) => [one, jsonOf(one)])) {
      const { headers, text } = await visit(address);
      const seen = text + JSON.stringify([...headers]);
      expect(seen).not.toMatch(/canary/i);
      expect(seen).not.toContain(check.id);
      expect(seen).not.toContain(check.entity_id);
    }
    expect((await visit(urls.state.replace('Web', 'CANARY'))).text).not.toContain('CANARY');
  });

  it('shows an entity, maintenance, and a disabled check', async () => {
    const entity = await newEntity(client);
    const check = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    await push(check.id, true);
    const { urls } = await made({ entity_id: entity.id });
    expect(urls.latency).toBeNull();
    expect(await shown(urls.state)).toMatchObject({ label: 'status', message: 'up' });
    expect(await shown(urls.uptime)).toMatchObject({ label: 'uptime', message: '100%' });
    expect((await visit(urls.uptime.replace('uptime', 'latency'))).status).toBe(404);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const times = { starts_at: at(-60_000), ends_at: at(600_000) };
    const window = got(
      await client.post('/v1/windows', { name: 'w', scope: { entity_ids: [entity.id] }, ...times }),
      201,
    );
    expect(await shown(urls.state)).toMatchObject({ message: 'maintenance', color: 'blue' });
    got(await client.del(`/v1/windows/${window.id}`), 204);
    got(await client.put(`/v1/checks/${check.id}`, { enabled: false }), 200);
    expect(await shown(urls.state)).toMatchObject({ message: 'unknown', color: 'lightgrey' });
  });

  it('shows the state of a published page, and unknown for a draft', async () => {
    const groups = [{ components: [{ name: 'Checkout', entity_id: (await newEntity(client)).id }] }];
    const page = got(await client.post('/v1/status-pages', { slug: `b-${Date.now()}`, title: 'Acme', groups }), 201);
    const { urls } = await made({ status_page_id: page.id });
    expect(urls).toMatchObject({ uptime: null, latency: null });
    expect(await shown(urls.state)).toMatchObject({ message: 'unknown' });
    got(
      await client.put(`/v1/status-pages/${page.id}`, {
        visibility: 'public',
        groups: [{ components: [{ name: 'Office' }] }],
      }),
      200,
    );
    await eventually(async () =>
      expect(await shown(urls.state)).toMatchObject({ message: 'up', color: 'brightgreen' }),
    );
  });

  it('is cached for half a minute, revalidated, and the same for HEAD', async () => {
    const check = await newCheck(client, {});
    const { urls } = await made({ check_id: check.id });
    const { headers } = await visit(urls.state);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'public, max-age=30, s-maxage=30, stale-while-revalidate=30, stale-if-error=86400',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const etag = headers.get('etag')!;
    expect(await visit(urls.state, 'GET', { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    const head = await visit(urls.state, 'HEAD');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
    expect((await visit(urls.state, 'POST')).status).toBe(405);
  });

  it('returns the same 404 after its deletion as an unknown badge', async () => {
    const check = await newCheck(client, {});
    const { id, urls } = await made({ check_id: check.id });
    const second = await made({ check_id: check.id });
    expect(got(await client.get(`${BADGES}?check_id=${check.id}`), 200).map((one: { id: string }) => one.id)).toEqual([
      id,
      second.id,
    ]);
    got(await client.del(`${BADGES}/${id}`), 204);
    const unknown = await visit(`/badge/${'x'.repeat(22)}/state.svg`);
    for (const address of [urls.state, urls.uptime, urls.latency]) {
      const gone = await visit(address);
      expect([gone.status, gone.text]).toEqual([404, unknown.text]);
    }
    expect(unknown.text).toContain('not found');
    expect(unknown.headers.get('content-type')).toBe('image/svg+xml');
    expect(await client.del(`${BADGES}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it.each([
    ['a bad period', '?period=1y', 400, 'must be 24h, 7d, 30d, 90d'],
    ['a bad style', '?style=plastic', 400, 'must be flat, flat-square'],
    ['an unknown parameter', '?label=Hacked&color=red', 200, 'unknown'],
  ])('responds to %s with an image', async (_what, query, status, text) => {
    const { urls } = await made({ check_id: (await newCheck(client, {})).id });
    const found = await visit(urls.state + query);
    expect([found.status, found.headers.get('content-type')]).toEqual([status, 'image/svg+xml']);
    expect(found.text).toContain(text);
    expect(found.text).not.toContain('Hacked');
  });

  it.each([
    ['/badge/'],
    ['/badge/x/state.svg'],
    [`/badge/${'a'.repeat(22)}/state.png`],
    [`/badge/%00${'a'.repeat(8000)}`],
  ])('does not exist at %.30s', async (path) => {
    expect((await visit(path)).status).toBe(404);
  });

  it('is rejected with the path of the error, and cannot be created with a read-only key', async () => {
    const check = await newCheck(client, {});
    const foreign = await newCheck(await newTenant(), {});
    const cases: [object, string][] = [
      [{}, 'check_id'],
      [{ check_id: check.id, entity_id: check.entity_id }, 'check_id'],
      [{ check_id: check.id, label: '' }, 'label'],
      [{ check_id: check.id, label: 'x'.repeat(41) }, 'label'],
      [{ check_id: check.id, label: 'a\nb' }, 'label'],
      [{ check_id: check.id, color: 'red' }, 'color'],
    ];
    for (const [body, path] of cases)
      expect(await client.post(BADGES, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    for (const body of [{ check_id: foreign.id }, { entity_id: foreign.entity_id }, { status_page_id: 'pag_none' }])
      expect(await client.post(BADGES, body)).toMatchObject(failure(404, 'NOT_FOUND'));
    const reader = await keyOf(client, { is_read_only: true });
    expect(await reader.post(BADGES, { check_id: check.id })).toMatchObject(failure(403, 'READ_ONLY'));
    expect((await reader.get(BADGES)).status).toBe(200);
  });
});
