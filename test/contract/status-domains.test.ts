import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { adminCli } from '#test/support/admin-cli.ts';
import { type Client, failure } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

const DOMAIN = 'status.acme.example';
const OTHER = 'status.other.example';
const { admin, json, as, create, service, dir } = adminCli({
  STATUS_DOMAINS: `${DOMAIN}, Status.Other.Example`,
  PUBLIC_URL: 'https://fleet.example.com',
  ALLOWED_HOSTS: 'ops.example.com',
});
const receiver = receiving();
const PAGES = '/v1/status-pages';

let client: Client;
let page: { id: string; slug: string };
let slugs = 0;
const made = async (more: object = {}) =>
  got(
    await client.post(PAGES, {
      slug: `domains-${++slugs}`,
      title: 'Acme status',
      visibility: 'public',
      groups: [{ components: [{ name: 'Checkout' }] }],
      ...more,
    }),
    201,
  );
beforeEach(async () => {
  const { account, key } = await create();
  await json('account', 'set-limits', account.id, '--egress', 'any');
  client = as(key);
  page = await made();
  return async () => {
    await client.del(`${PAGES}/${page.id}`);
  };
});

/** Sends a request with a Host header, which fetch cannot set. */
async function visit(host: string, path: string, method = 'GET', more: Record<string, string> = {}) {
  const { hostname, port } = new URL(service().url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; text: string }>();
  request({ hostname, port, path, method, headers: { host, ...more } }, async (response) => {
    const { 'x-request-id': _id, date: _date, ...headers } = response.headers;
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(await buffer(response)) : await buffer(response);
    resolve({ status: response.statusCode!, headers, text: String(bytes) });
  })
    .on('error', reject)
    .end();
  return promise;
}

const setDomain = (id: string, domain: string) => json('status-page', 'set-domain', id, domain);
const MISSING = { status: 404, text: expect.stringContaining('This page does not exist') };

describe('a status page with a domain', () => {
  it('is at the root of the domain, with its files next to it and links that stay there', async () => {
    await setDomain(page.id, DOMAIN.toUpperCase());
    expect(got(await client.get(`${PAGES}/${page.id}`), 200)).toMatchObject({
      domain: DOMAIN,
      url: `https://${DOMAIN}`,
    });
    const root = await visit(DOMAIN, '/');
    expect(root).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Acme status</h1>') });
    const links = [...root.text.matchAll(/(?:href|data-json)="(\/[^"]*)"/g)].map(([, path]) => path!);
    expect(new Set(links)).toEqual(new Set(['/index.json', '/history', '/feed.atom', '/maintenance.ics']));
    for (const path of links) expect(await visit(DOMAIN, path), path).toMatchObject({ status: 200 });
    expect((await visit(`${DOMAIN}.:443`, '/history?x=y')).text).toContain('href="/"');
    expect(JSON.parse((await visit(DOMAIN, '/index.json')).text)).toMatchObject({ version: 1 });
    expect((await visit(DOMAIN, '/feed.atom')).text).toContain(`<id>https://${DOMAIN}</id>`);
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
    const { logo_url } = got(await client.put(`${PAGES}/${page.id}/logo`, { data: png }), 200);
    expect(logo_url).toMatch(new RegExp(`^https://${DOMAIN}/logo-`));
    const { pathname } = new URL(logo_url);
    await eventually(async () => expect((await visit(DOMAIN, '/')).text).toContain(`src="${pathname}"`));
    expect(await visit(DOMAIN, pathname)).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    expect((await visit('127.0.0.1', `/status/${page.slug}`)).status).toBe(200);
  });

  it('is revalidated, compressed, and the same for HEAD', async () => {
    await setDomain(page.id, DOMAIN);
    await eventually(async () => {
      const { headers, text } = await visit(DOMAIN, '/', 'GET', { 'accept-encoding': 'gzip' });
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=15, s-maxage=15, stale-while-revalidate=15, stale-if-error=86400',
        'content-encoding': 'gzip',
        'content-security-policy': "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'",
      });
      const { etag } = headers as { etag: string };
      expect(await visit(DOMAIN, '/', 'HEAD')).toMatchObject({ status: 200, text: '', headers: { etag } });
      expect(await visit(DOMAIN, '/', 'GET', { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
      expect((await visit(DOMAIN, '/')).text).toBe(text);
      return true;
    });
  });

  it('is linked at its domain in messages to subscribers', async () => {
    await setDomain(page.id, DOMAIN);
    const subscriber = { channel_type: 'slack', config: { url: `${receiver().url}/domains` } };
    got(await client.post(`${PAGES}/${page.id}/subscribers`, subscriber), 201);
    const { groups } = got(await client.get(`${PAGES}/${page.id}`), 200);
    const component_ids = [groups[0].components[0].id];
    const incident = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'degraded', component_ids }), 201);
    const update = { status: 'identified', message: 'The cause is known.', notify: true };
    got(await client.post(`/v1/incidents/${incident.id}/updates`, update), 201);
    await eventually(async () => expect(receiver().received).not.toEqual([]), 20_000);
    expect(receiver().received[0]!.body).toContain(`https://${DOMAIN}`);
  });

  it('is the only thing at the domain', async () => {
    await setDomain(page.id, DOMAIN);
    const unknown = await visit('127.0.0.1', '/status/unknown-page');
    expect(unknown).toMatchObject(MISSING);
    const paths = ['/v1/health', '/v1/openapi.json', '/docs', '/metrics', '/ping/x', '/badge/x', '/unknown'];
    const inside = [`/status/${page.slug}`, `/status/${DOMAIN}/`, `/../${page.slug}/index.html`, '/../../v1/health'];
    for (const path of [...paths, ...inside]) expect(await visit(DOMAIN, path), path).toEqual(unknown);
    expect((await visit(DOMAIN, '/v1/status-pages', 'POST')).status).toBe(405);
    for (const path of ['/', '/v1/health']) expect(await visit(OTHER, path), path).toEqual(unknown);
    expect((await visit('127.0.0.1', '/v1/health')).status).toBe(200);
  });

  it.each(['draft', 'link'])('is not at the domain while its visibility is %s', async (visibility) => {
    await setDomain(page.id, DOMAIN);
    await eventually(async () => expect((await visit(DOMAIN, '/')).status).toBe(200));
    const record = got(await client.put(`${PAGES}/${page.id}`, { visibility }), 200);
    expect(record).toMatchObject({ domain: DOMAIN });
    expect(record.url ?? '').not.toContain(DOMAIN);
    await eventually(async () => expect(await visit(DOMAIN, '/')).toMatchObject(MISSING));
  });

  it('frees its domain when the operator removes the domain, or when the page is deleted', async () => {
    const second = await made();
    await setDomain(page.id, DOMAIN);
    const refused = await admin(['status-page', 'set-domain', second.id, DOMAIN]);
    expect(refused).toMatchObject({
      code: 2,
      err: `The domain ${DOMAIN} belongs to page ${page.id}. Remove it there first.\n`,
    });
    await json('status-page', 'remove-domain', page.id);
    await setDomain(second.id, DOMAIN);
    await setDomain(second.id, OTHER);
    expect((await client.del(`${PAGES}/${second.id}`)).status).toBe(204);
    for (const domain of [DOMAIN, OTHER])
      await eventually(async () => expect(await visit(domain, '/')).toMatchObject(MISSING));
    await setDomain(page.id, OTHER);
    expect(got(await client.get(`${PAGES}/${page.id}`), 200)).toMatchObject({ domain: OTHER });
  });
});

describe('the domain of a status page', () => {
  it('is set only by the operator', async () => {
    expect(page).toMatchObject({ domain: null });
    expect(await client.post(PAGES, { slug: 'own', title: 'Own', domain: DOMAIN })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'domain'),
    );
    await client.put(`${PAGES}/${page.id}`, { domain: DOMAIN });
    expect(got(await client.get(`${PAGES}/${page.id}`), 200)).toMatchObject({ domain: null });
    await setDomain(page.id, DOMAIN);
    const entries = await json('audit', (await client.get('/v1/me')).body.id, '--action', 'status_page.update');
    expect(entries[0]).toMatchObject({ actor: { type: 'operator' }, changes: [{ path: 'domain', to: DOMAIN }] });
  });

  it.each([
    ['https://status.acme.example', 'must be a name without scheme'],
    ['localhost', 'must be a name without scheme'],
    ['127.0.0.1', 'must be a name without scheme'],
    ['*.acme.example', 'must be a name without scheme'],
    ['-a.example', 'must be a name without scheme'],
    [`${'a'.repeat(64)}.example`, 'must be a name without scheme'],
    ['fleet.example.com', 'is an address of the service itself'],
    ['ops.example.com', 'is an address of the service itself'],
  ])('cannot be %s', async (domain, problem) => {
    const env = { DATA_DIR: dir(), PUBLIC_URL: 'https://fleet.example.com', ALLOWED_HOSTS: 'ops.example.com' };
    const { code, err } = await admin(['status-page', 'set-domain', page.id, '--', domain], env);
    expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
    expect(err).toMatch(/^[^\n]+\n$/);
  });

  it.each(['pag_unknown', '!COUNT', 'Ö'])('is not set for the unknown page %s', async (id) => {
    expect(await admin(['status-page', 'set-domain', id, DOMAIN])).toMatchObject({
      code: 2,
      err: `Status page ${id} does not exist.\n`,
    });
  });
});
