import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '#test/support/certificates.ts';
import { type Client, clientOf, failure } from '#test/support/client.ts';
import { type Page, pageAt, signedInWith, tokenOf } from '#test/support/page.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';
import { startTlsProxy } from '#test/support/tls-proxy.ts';

/**
 * Requests that another page can make a browser send, with the headers that the browser adds: they change and show
 * nothing, although the cookie is sent. ALLOWED_ORIGINS is *, the default.
 */

let service: Service;
let url: string;
let port: string;
let page: Page;
beforeAll(async () => {
  service = await startService();
  ({ url } = service);
  ({ port } = new URL(url));
  page = await signedInWith(url, service.adminKey);
});
afterAll(() => service.stop());

const forbidden = failure(403, 'FORBIDDEN');
const EVIL = 'https://evil.example';
const none = undefined;

/** Headers that differ from the headers of a same-origin page (undefined: not sent), by the origin of the request. */
const FROM: [string, Record<string, string | undefined>][] = [
  [
    'a form of another site',
    { origin: EVIL, 'sec-fetch-site': 'cross-site', 'x-fleetwatch': none, 'content-type': 'text/plain' },
  ],
  ['a no-cors fetch of another site', { origin: EVIL, 'sec-fetch-site': 'cross-site', 'x-fleetwatch': none }],
  ['a fetch of another site, allowed by CORS', { origin: EVIL, 'sec-fetch-site': 'cross-site' }],
  ['a sibling host of the same site', { origin: 'https://blog.localhost', 'sec-fetch-site': 'same-site' }],
  ['another port of the service host', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a page without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['the address bar', { origin: none, 'sec-fetch-site': 'none' }],
  ['another site at plain http', { origin: 'http://evil.example', 'sec-fetch-site': none }],
  ['a sandboxed frame at plain http', { origin: 'null', 'sec-fetch-site': none }],
  ['a same-origin page, without its header', { 'x-fleetwatch': none }],
  ['a same-origin page, with another header', { 'x-fleetwatch': 'other' }],
];

describe('a change with a session', () => {
  const make = (headers: Record<string, string | undefined>) =>
    page.send('POST', '/v1/blueprints', { body: { slug: 'made', name: 'Made' }, headers });

  it.each(FROM)('is rejected from %s', async (_who, headers) => {
    expect(await make(headers)).toMatchObject(forbidden);
    expect(await page.send('DELETE', '/v1/sessions', { headers })).toMatchObject(forbidden);
    expect((await page.get('/v1/blueprints/made')).status).toBe(404);
  });

  it('is rejected when no header names the page that sent it', async () => {
    expect(await make({ origin: none, 'sec-fetch-site': none })).toMatchObject(forbidden);
  });

  it('is accepted from a same-origin page, even with fewer headers at plain http', async () => {
    for (const headers of [{}, { 'sec-fetch-site': none }, { origin: none }]) {
      expect((await make(headers)).status).toBe(201);
      expect((await page.send('DELETE', '/v1/blueprints/made', { headers })).status).toBe(204);
    }
  });

  it('is rejected under an unknown host name', async () => {
    for (const host of [`evil.example:${port}`, `127.0.0.1.evil.example:${port}`]) {
      for (const headers of [{ host }, { host, origin: `http://${host}` }, { host, 'sec-fetch-site': none }]) {
        expect(await make(headers)).toMatchObject(forbidden);
      }
      expect(await page.send('GET', '/v1/me', { headers: { host } })).toMatchObject(forbidden);
    }
    const response = await page.send('GET', '/v1/me', { headers: { host: `evil.example:${port}` } });
    expect(response.body.error).toBe(
      `http://evil.example:${port} is not an address of this service. Set PUBLIC_URL=http://evil.example:${port}.`,
    );
  });
});

describe('a response', () => {
  it('is not shown to another page that sends the cookie', async () => {
    for (const path of ['/v1/me', '/v1/session', '/v1/sign-in/methods', '/v1/openapi.json']) {
      const response = await page.send('GET', path, { headers: { origin: EVIL, 'sec-fetch-site': 'cross-site' } });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      // With credentials a browser does not accept *.
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('allows neither credentials nor the header of same-origin pages in a preflight', async () => {
    const response = await fetch(`${url}/v1/blueprints`, {
      method: 'OPTIONS',
      headers: {
        origin: EVIL,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-fleetwatch',
      },
    });
    expect(response.headers.get('access-control-allow-headers')).not.toMatch(/x-fleetwatch/i);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a sign-in or sign-out', () => {
  let admin: Client;
  beforeAll(() => {
    admin = clientOf(url, service.adminKey);
  });

  it.each(FROM)('gives no cookie to %s, by key, link or invitation', async (_who, headers) => {
    const me = (await admin.get('/v1/me')).body.user.id;
    const { body } = await admin.post(`/v1/settings/users/${me}/sign-in-link`);
    const token = tokenOf(body.url);
    const invited = await admin.post('/v1/settings/users/invite', { email: 'in@example.com', role: 'viewer' });
    const acceptance = { token: invited.body.invite_token, name: 'In', session: true };
    for (const [path, sent] of [
      ['/v1/sign-in/key', { key: service.adminKey }],
      ['/v1/sign-in/link', { token }],
      ['/v1/invitations/accept', acceptance],
    ] as const) {
      const victim = pageAt(url);
      const response = await victim.send('POST', path, { body: sent, headers });
      expect(response).toMatchObject(forbidden);
      expect(victim.cookies.size).toBe(0);
    }
    // The rejected requests did not use up the link.
    expect((await pageAt(url).post('/v1/sign-in/link', { token })).status).toBe(201);
    await admin.del(`/v1/settings/users/${invited.body.id}`);
  });

  it('does not end a session when another page requests it', async () => {
    const mine = await signedInWith(url, (await tenantOf(service)).key);
    for (const [, headers] of FROM) {
      expect(await mine.send('DELETE', '/v1/session', { headers })).toMatchObject(forbidden);
    }
    expect((await mine.get('/v1/me')).status).toBe(200);
  });

  it('is rejected under an unknown host name, and so is the page', async () => {
    const host = `evil.example:${port}`;
    const headers = { host, origin: `http://${host}` };
    const response = await pageAt(url).send('POST', '/v1/sign-in/key', { body: { key: service.adminKey }, headers });
    expect(response).toMatchObject(forbidden);
    expect(response.headers.getSetCookie()).toEqual([]);
    const html = await pageAt(url).send('GET', '/', { headers: { host, accept: 'text/html' } });
    expect(html).toMatchObject(forbidden);
  });

  it('is accepted from a program, which sends neither Origin nor Sec-Fetch-Site', async () => {
    const headers = { origin: none, 'sec-fetch-site': none, 'x-fleetwatch': none };
    const program = pageAt(url);
    const response = await program.send('POST', '/v1/sign-in/key', { body: { key: service.adminKey }, headers });
    expect(response.status).toBe(201);
    expect((await program.get('/v1/session')).body).toMatchObject({ method: 'key' });
  });
});

describe('a key', () => {
  it('works under any host and from any page because browsers never add it', async () => {
    const headers = {
      host: 'evil.example',
      origin: EVIL,
      'sec-fetch-site': 'cross-site',
      'x-fleetwatch': none,
      authorization: `Bearer ${service.adminKey}`,
    };
    const stranger = pageAt(url);
    expect((await stranger.send('GET', '/v1/me', { headers })).status).toBe(200);
    const made = await stranger.send('POST', '/v1/blueprints', { body: { slug: 'by-key', name: 'Key' }, headers });
    expect(made.status).toBe(201);
    expect((await stranger.send('GET', '/v1/health', { headers: { host: 'evil.example' } })).status).toBe(200);
  });

  it('is rejected on MCP from a page under an unknown host name', async () => {
    const host = `evil.example:${port}`;
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const authorization = `Bearer ${service.adminKey}`;
    const from = (headers: Record<string, string | undefined>) =>
      pageAt(url).send('POST', '/v1/mcp', { body, headers: { authorization, ...headers } });
    expect(await from({ host, origin: `http://${host}` })).toMatchObject(forbidden);
    expect(await from({ host, origin: `https://${host}` })).toMatchObject(forbidden);
    expect(await from({ origin: EVIL })).toMatchObject(forbidden);
  });
});

describe('a TLS proxy', () => {
  it('makes the service set a cookie that no other host can set, and ignore cookies with other names', async () => {
    const authority = await makeAuthority();
    const certificate = await authority.issue({ names: ['localhost'] });
    let target = '';
    await using proxy = await startTlsProxy(certificate, () => target);
    const own = await startService({ env: { PUBLIC_URL: proxy.url } });
    target = own.url;
    try {
      const ca = authority.cert;
      const browser = pageAt(proxy.url, { ca });
      const response = await browser.post('/v1/sign-in/key', { key: own.adminKey });
      expect(response.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-fleetwatch_session=\w{43}; Secure; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
        ),
      ]);
      expect((await browser.get('/v1/me')).status).toBe(200);
      expect((await browser.post('/v1/blueprints', { slug: 'a', name: 'A' })).status).toBe(201);

      // A sibling host, or a server that impersonates this one over plain http, can set a cookie with such a name.
      const token = [...browser.cookies.values()][0]!;
      for (const name of [`fleetwatch_session_${new URL(proxy.url).port}`, 'fleetwatch_session_80']) {
        const planted = pageAt(proxy.url, { ca });
        planted.cookies.set(name, token);
        expect((await planted.get('/v1/me')).status).toBe(401);
      }
      const both = pageAt(proxy.url, { ca });
      both.cookies.set('__Host-fleetwatch_session', token);
      both.cookies.set(`fleetwatch_session_${new URL(proxy.url).port}`, 'x'.repeat(43));
      expect((await both.get('/v1/me')).status).toBe(200);
      expect((await browser.get('/v1/session')).body.id).toBe(response.body.id);
    } finally {
      await own.stop();
    }
  });

  it('needs PUBLIC_URL for a host name with a dot; the error names the setting', async () => {
    const headers = { host: 'status.example.com', origin: 'https://status.example.com' };
    const response = await pageAt(url).send('POST', '/v1/sign-in/key', { body: { key: service.adminKey }, headers });
    expect(response).toMatchObject({
      status: 403,
      body: {
        error:
          'https://status.example.com is not an address of this service. Set PUBLIC_URL=https://status.example.com.',
      },
    });
  });
});
