import { afterEach, describe, expect, it } from 'vitest';
import { trustedProxies } from '#infra/local/http/client-address.ts';
import { echo, start, stop, url } from './gateway.ts';

afterEach(stop);

const headersOf = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(url + path, { headers })).headers;
const forwarded = (proto: string | undefined) => (proto === undefined ? {} : { 'x-forwarded-proto': proto });

describe('response headers of the gateway', () => {
  it.each([
    ['https', 'max-age=31536000'],
    ['HTTPS, http', 'max-age=31536000'],
    ['http', null],
    ['http, https', null],
    [undefined, null],
  ])('sends HSTS only if a trusted proxy reports TLS: %s', async (proto, value) => {
    await start(echo, echo, trustedProxies(['127.0.0.1']));
    for (const path of ['/', '/v1/me']) {
      expect((await headersOf(path, forwarded(proto))).get('strict-transport-security')).toBe(value);
    }
  });

  it('ignores TLS reported by a client that is not a trusted proxy', async () => {
    await start(echo, echo, trustedProxies(['10.0.0.0/8']));
    expect((await headersOf('/v1/me', forwarded('https'))).get('strict-transport-security')).toBeNull();
  });

  it('sends the headers of the API with its own errors', async () => {
    await start(async () => {
      throw new Error('broken');
    });
    expect(Object.fromEntries(await headersOf('/v1/me'))).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });
});
