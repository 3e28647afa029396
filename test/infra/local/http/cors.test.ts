import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type Gateway, makeGateway } from '#infra/local/http/http.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';

let gateway: Gateway;
let url: string;

async function start(origins: string[]) {
  const api = async ({ rawPath, requestContext: { http } }: ApiEvent) => ({
    statusCode: 200,
    headers: rawPath === '/varied' ? { vary: 'accept-encoding' } : {},
    body: http.method,
  });
  const mcp = async () => new Response('{}');
  gateway = makeGateway(
    { api, console: api, mcp },
    { settings: readSettings({ ALLOWED_ORIGINS: origins.join(',') }), log: memoryLog() },
  );
  url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
}

afterEach(() => {
  const stopped = gateway.stop();
  gateway.cut();
  return stopped;
});

describe('CORS', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'PUT' },
  };

  it('allows pages of any origin by default', async () => {
    await start(['*']);
    const asked = await fetch(url, preflight);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('x-request-id')).toMatch(/\S{8,}/);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-headers')).toBe(ALLOWED_HEADERS.join(','));
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT,DELETE');
    const reply = await fetch(url, { headers: { origin: 'https://app.example' } });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-expose-headers')).toBe(EXPOSED_HEADERS.join(','));
  });

  it('allows only named origins', async () => {
    await start(['https://app.example']);
    const named = await fetch(url, preflight);
    expect(named.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(named.headers.get('vary')).toBe('origin');
    const other = await fetch(url, { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const refused = await fetch(url, {
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://evil.example' },
    });
    expect(refused.status).toBe(204);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['', 'origin'],
    ['varied', 'accept-encoding, origin'],
  ])('adds origin to vary: /%s', async (path, vary) => {
    await start(['https://app.example']);
    const reply = await fetch(`${url}/${path}`, { headers: { origin: 'https://app.example' } });
    expect(reply.headers.get('vary')).toBe(vary);
  });

  it.each([
    ['a page of any origin', 'https://evil.example', ['*'], false],
    ['a page without an origin', 'null', ['*'], false],
    ['a page whose origin is a star', '*', ['*'], false],
    ['a page of an origin that is not named', 'https://app.example', ['https://other.example'], false],
    ['a page of a named origin', 'https://app.example', ['*', 'https://app.example'], true],
    ['a same-origin page', 'own', ['*'], true],
  ])('applies the origin rule of MCP to %s', async (_what, from, origins, isAllowed) => {
    await start(origins);
    const origin = from === 'own' ? url : from;
    const expected = isAllowed ? origin : null;
    const asked = await fetch(`${url}/v1/mcp?a=1`, { ...preflight, headers: { ...preflight.headers, origin } });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(expected);
    expect(asked.headers.get('access-control-allow-methods')).toBe(isAllowed ? 'GET,HEAD,POST,PUT,DELETE' : null);
    const reply = await fetch(`${url}/v1/mcp`, { method: 'POST', headers: { origin }, body: '{}' });
    expect(reply.headers.get('access-control-allow-origin')).toBe(expected);
  });

  it('does not allow MCP to a page under a foreign host name that resolves to the service', async () => {
    await start(['*']);
    const host = `evil.example:${new URL(url).port}`;
    const headers = { host, origin: `http://${host}`, 'content-length': '0' };
    const asked = request(`${url}/v1/mcp`, { method: 'POST', headers }).end();
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    reply.resume();
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('sends no CORS headers to clients that are not browsers', async () => {
    await start(['*']);
    expect((await fetch(url)).headers.get('access-control-allow-origin')).toBeNull();
    const options = await fetch(url, { method: 'OPTIONS' });
    expect(await options.text()).toBe('OPTIONS');
  });
});
