import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '#test/support/client.ts';
import { type OidcWorld, oidcWorld } from '#test/support/oidc-world.ts';
import { PlainBrowser } from '#test/support/plain-browser.ts';

let world: OidcWorld;
beforeAll(async () => {
  world = await oidcWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const begin = (browser: PlainBrowser, body: object = {}, headers: Record<string, string> = {}) =>
  browser.call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body, headers });

describe('the page after a sign-in', () => {
  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    '/ evil',
    `/${'x'.repeat(500)}`,
  ])('is never %j', async (return_to) => {
    const response = await begin(new PlainBrowser(), { return_to });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'return_to'));
  });
});

describe('a sign-in that does not start', () => {
  it.each([
    ['for a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['for a page of a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['for a form, which cannot send the header of the console', { 'x-fleetwatch': '' }],
  ])('%s', async (_, headers) => {
    expect(await begin(new PlainBrowser(), {}, headers)).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it('is requested under a host name that a third party points to the service', async () => {
    const { ports } = world.service;
    const { create } = await import('#functions/sign-in.ts');
    const response = await create(ports)({
      rawPath: '/v1/sign-in/oidc',
      rawQueryString: '',
      headers: { host: 'evil.example' },
      body: '{}',
      isBase64Encoded: false,
      requestContext: { requestId: 'r', http: { method: 'POST', path: '/v1/sign-in/oidc' } },
    });
    expect(response.statusCode).toBe(403);
  });

  it.each([
    [{ token: 'fwi_nothing' }, 404],
    [{ token: 'fwl_nothing' }, 401],
    [{ token: 'fwi_x', purpose: 'link' }, 400],
    [{ token: 'fwi_x', account_id: 'acc_1' }, 400],
    [{ purpose: 'unlink' }, 400],
    [{ account_id: '' }, 400],
    [{ redirect_uri: 'https://evil.example' }, 400],
  ])('with %j', async (body, status) => {
    expect((await begin(new PlainBrowser(), body)).status).toBe(status);
  });
});
