import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageAt } from '#test/support/page.ts';
import { type Service, startService, target } from '#test/support/service.ts';

/** Headers of a browser that loads a page. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

let url: string;
/** Paths of all files that the page refers to. */
let assets: string[];
beforeAll(async () => {
  ({ url } = await target());
  const html = await (await request('/', BROWSER)).text();
  assets = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path!);
});

const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url + path, { method, headers, redirect: 'manual' });
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
const headersOf = (response: Response) => Object.fromEntries(response.headers);
const script = () => assets.find((path) => path.endsWith('.js'))!;

describe('the root path', () => {
  it('is a page for a browser without key and session, and runs only its own files', async () => {
    const response = await request('/?from=bookmark', BROWSER);
    expect(response.status).toBe(200);
    expect(headersOf(response)).toMatchObject({
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept, Accept-Encoding',
      'x-request-id': expect.stringMatching(/\S{8,}/),
    });
    expect(await response.text()).not.toMatch(/<style| style=| on\w+=|<script(?![^>]* src=")/);
    expect(assets.length).toBeGreaterThanOrEqual(2);
    for (const path of assets) expect(path).toMatch(/^\/assets\/[\w-]+\.(js|css)$/);
  });

  it('is a text with first steps for other clients', async () => {
    for (const headers of [{}, { accept: 'application/json' }]) {
      const response = await request('/', headers);
      expect(response.status).toBe(200);
      expect(headersOf(response)).toMatchObject({ ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8' });
      const text = await response.text();
      for (const word of ['/v1/openapi.json', '/v1/health', 'Authorization: Bearer', '/docs']) {
        expect(text).toContain(word);
      }
    }
  });

  it('is not sent again to a browser that has the page', async () => {
    const etag = (await request('/', BROWSER)).headers.get('etag')!;
    for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await request('/', { ...BROWSER, 'if-none-match': tag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(headersOf(again)).toMatchObject({ etag, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
    }
    const other = await request('/', { ...BROWSER, 'if-none-match': '"other"' });
    expect([other.status, other.headers.get('etag')]).toEqual([200, etag]);
  });

  it('responds to HEAD without a body', async () => {
    for (const headers of [{}, BROWSER]) {
      const response = await request('/', headers, 'HEAD');
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  it('is the only path of the page: unknown paths and other methods require a key', async () => {
    for (const [method, path] of [
      ['POST', '/'],
      ['GET', '/index.html'],
      ['GET', '/console'],
      ['GET', '/assets/more/main.js'],
    ] as const) {
      const response = await request(path, BROWSER, method);
      expect([path, response.status, await codeOf(response)]).toEqual([path, 401, 'UNAUTHORIZED']);
    }
  });
});

describe('a file of the console', () => {
  it('is cached indefinitely because its name changes with its content', async () => {
    for (const path of assets) {
      const response = await request(path);
      expect(response.status).toBe(200);
      expect(headersOf(response)).toMatchObject({
        ...PAGE_HEADERS,
        'content-type': `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
    }
  });

  it('is compressed as the client accepts, with the same content in each form', async () => {
    const plain = await request(script(), { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();
    for (const [accepted, form] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
    ] as const) {
      for (const path of ['/', script()]) {
        const response = await request(path, { ...BROWSER, 'accept-encoding': accepted });
        expect([path, response.headers.get('content-encoding')]).toEqual([path, form]);
        const content = await response.text();
        if (path !== '/') expect(content).toBe(text);
      }
    }
  });

  it('responds to HEAD without a body', async () => {
    const response = await request(script(), {}, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each(['/assets/main-00000000.js', '/assets/__proto__', '/assets/toString', '/assets/index.html'])(
    'does not exist under another name: %s',
    async (path) => {
      const response = await request(path, BROWSER);
      expect([response.status, await codeOf(response)]).toEqual([404, 'NOT_FOUND']);
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );
});

describe('an unknown host name', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { PUBLIC_URL: 'https://fleet.example.com' } });
  });
  afterAll(() => service.stop());
  const at = (host: string, accept: string) => pageAt(service.url).send('GET', '/', { headers: { host, accept } });

  it('gives a browser no page and explains how to add the name', async () => {
    const refused = await at('evil.example', BROWSER.accept);
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(refused.body.error).toContain('PUBLIC_URL=http://evil.example');
    expect((await at('fleet.example.com', BROWSER.accept)).status).toBe(200);
  });

  it('gives other clients the text with first steps', async () => {
    const response = await at('evil.example', '*/*');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  });
});
