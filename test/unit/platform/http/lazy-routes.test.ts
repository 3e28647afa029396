import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type LazyRoutes, lazyRouter } from '#lib/platform/http/lazy-routes.ts';
import { route } from '#lib/platform/http/route.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { type Context, gates } from './small-api.ts';

const get = (path: string) =>
  route<Context>()({
    method: 'GET',
    path,
    access: 'open',
    summary: '',
    status: 200,
    reply: z.unknown(),
    run: async () => path,
  });

/** Creates an API of three lists of routes. Records each load; the first `fails` loads fail. */
function makeApi(fails = 0) {
  const loaded: string[] = [];
  const list = (of: string[], paths: string[]): LazyRoutes<Context> => ({
    of,
    load: async () => {
      loaded.push(paths[0]!);
      if (loaded.length <= fails) throw new Error('no more files can be opened');
      return paths.map(get);
    },
  });
  const lists = [
    list(['cats'], ['/v1/cats', '/v1/cats/{id}']),
    list(['cats', 'dogs'], ['/v1/cats/{id}/friends', '/v1/dogs']),
    list(['fish'], ['/v1/fish']),
  ];
  const handle = lazyRouter(lists, (routes) => makeRouter(routes, gates));
  const status = async (rawPath: string) => {
    const http = { method: 'GET', path: rawPath };
    const event = { rawPath, rawQueryString: '', headers: {}, isBase64Encoded: false };
    return (await handle({ ...event, requestContext: { requestId: 'r', http } })).statusCode;
  };
  return { loaded, status };
}

describe('lazy routes', () => {
  it('are loaded on the first request to their resource, and only once', async () => {
    const { loaded, status } = makeApi();
    expect(loaded).toEqual([]);
    expect(await status('/v1/fish')).toBe(200);
    expect(loaded).toEqual(['/v1/fish']);
    const asked = ['/v1/fish', '/v1/cats', '/v1/cats/7', '/v1/cats/7/friends', '/v1/cats'];
    expect(await Promise.all(asked.map(status))).toEqual([200, 200, 200, 200, 200]);
    expect(loaded).toEqual(['/v1/fish', '/v1/cats', '/v1/cats/{id}/friends']);
    expect(await status('/v1/dogs')).toBe(200);
  });

  it('are not loaded for an unknown resource, which returns 401 without a key', async () => {
    const { loaded, status } = makeApi();
    for (const path of ['/', '/v1', '/v1/', '/v1/birds', '/v1/of', '/v1/constructor', '/.well-known/mcp']) {
      expect([path, await status(path)]).toEqual([path, path.startsWith('/.well-known/') ? 404 : 401]);
    }
    expect(loaded).toEqual([]);
    expect(await status('/v1/cats/7/none')).toBe(401);
  });

  it('are loaded again after a failed load', async () => {
    const { loaded, status } = makeApi(1);
    await expect(status('/v1/fish')).rejects.toThrow('no more files');
    expect(await status('/v1/fish')).toBe(200);
    expect(loaded).toEqual(['/v1/fish', '/v1/fish']);
  });
});
