import { beforeAll, describe, expect, it } from 'vitest';
import { target } from '#test/support/service.ts';

const BROWSER = { accept: 'text/html,*/*;q=0.8' };

let url: string;
beforeAll(async () => {
  ({ url } = await target());
});
const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url + path, { method, headers });

describe('the docs', () => {
  it('are pages for callers without a key, and run only their own files', async () => {
    for (const path of ['/docs', '/docs/use/alerts', '/docs/operate/install', '/docs/reference/checks']) {
      const response = await request(path, BROWSER);
      expect([path, response.status]).toEqual([path, 200]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
        'cache-control': 'no-cache',
        vary: 'Accept-Encoding',
      });
      expect(await response.text()).not.toMatch(/<style| style=| on\w+="|<script(?![^>]* src="\/docs\/)/);
    }
  });

  it('are not sent again to a browser that has them', async () => {
    const etag = (await request('/docs/use/alerts')).headers.get('etag')!;
    const again = await request('/docs/use/alerts', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('respond to HEAD without a body', async () => {
    const response = await request('/docs/use/alerts', {}, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('have a style, a script and an index that are cached indefinitely', async () => {
    const html = await (await request('/docs')).text();
    const files = [...new Set(html.match(/\/docs\/assets\/[\w.-]+/g))];
    expect(files.map((path) => path.split('.').at(-1)).toSorted()).toEqual(['css', 'js', 'json']);
    for (const path of files) {
      const response = await request(path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      await response.arrayBuffer();
    }
  });

  it('respond with 404 to an unknown page: HTML for a browser, an error for other clients', async () => {
    for (const path of ['/docs/use/unknown', '/docs/use/__proto__', '/docs/develop/keys']) {
      const page = await request(path, BROWSER);
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain('Page not found');
      const other = await request(path);
      expect([other.status, await other.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    }
  });
});
