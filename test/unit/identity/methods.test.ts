import { describe, expect, it } from 'vitest';
import { create } from '#functions/sign-in.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

/** Calls GET /v1/sign-in/methods at a host. */
async function methodsAt(host: string, PUBLIC_URL = '') {
  const { ports } = memoryWorld();
  const response = await create({ ...ports, settings: readSettings({ PUBLIC_URL }) })({
    rawPath: '/v1/sign-in/methods',
    rawQueryString: '',
    headers: { host },
    isBase64Encoded: false,
    requestContext: { requestId: 'r', http: { method: 'GET', path: '/v1/sign-in/methods' } },
  });
  expect(response.statusCode).toBe(200);
  return JSON.parse(response.body);
}

describe('sign-in methods', () => {
  it.each(['localhost:8787', 'localhost'])('include passkeys at http://%s', async (host) => {
    expect(await methodsAt(host)).toEqual({
      passkey: { available: true, reason: null },
      oidc: null,
      key: true,
      link: true,
    });
  });

  it('include passkeys at a PUBLIC_URL with https', async () => {
    const { passkey } = await methodsAt('status.example.com', 'https://status.example.com');
    expect(passkey.available).toBe(true);
  });

  it.each([
    ['127.0.0.1:8787', 'Passkeys need a host name, and 127.0.0.1 is an IP address.'],
    ['[::1]:8787', 'Passkeys need a host name, and [::1] is an IP address.'],
    ['nas:8787', 'Passkeys need https, or http://localhost.'],
    ['evil.example', 'http://evil.example is not an address of this service.'],
  ])('give the reason why passkeys are unavailable at %s, and include the other methods', async (host, reason) => {
    const methods = await methodsAt(host);
    expect(methods).toMatchObject({ passkey: { available: false }, key: true, link: true });
    expect(methods.passkey.reason).toContain(reason);
  });
});
