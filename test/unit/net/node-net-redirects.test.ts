import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { makeNet } from '#lib/net/node-net.ts';
import { leavesOrigin } from '#lib/net/redirect.ts';
import { closedPort, httpTarget } from '#test/support/socket-target.ts';
import { failure, get } from '#test/support/test-net.ts';

describe('redirects', () => {
  it('are followed to the end, with the method changed to GET as in a browser', async () => {
    const seen: string[] = [];
    await using target = await httpTarget((req, res) => {
      let body = '';
      req.on('data', (chunk) => {
        body += chunk;
      });
      req.on('end', () => {
        seen.push(`${req.method} ${req.url} ${body}`.trim());
        const status = Number(req.url?.slice(1));
        if (status) res.writeHead(status, { location: '/end?x=1#part' }).end();
        else res.end('there');
      });
    });
    for (const [status, method] of [
      [301, 'POST'],
      [302, 'POST'],
      [303, 'PUT'],
      [307, 'POST'],
      [308, 'PUT'],
      [302, 'PUT'],
      [303, 'HEAD'],
    ] as const) {
      await get(`${target.url}/${status}`, { method, body: 'b' });
    }
    expect(seen.filter((line) => line.includes('end'))).toEqual([
      'GET /end?x=1',
      'GET /end?x=1',
      'GET /end?x=1',
      'POST /end?x=1 b',
      'PUT /end?x=1 b',
      'PUT /end?x=1 b',
      'HEAD /end?x=1 b',
    ]);
  });

  it('are returned as the response if none are allowed', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: '/next' }).end('moved'));
    expect(await get(target.url, { max_redirects: 0 })).toMatchObject({
      status: 302,
      body: 'moved',
      headers: { location: '/next' },
    });
    expect(target.connections()).toBe(1);
  });

  it('are returned as the response if they have no Location', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(302).end());
    expect(await get(target.url)).toMatchObject({ status: 302 });
  });

  it('keep all headers within the origin, but only harmless ones to another origin', async () => {
    const harmless = {
      accept: 'text/html',
      'accept-language': 'de',
      'user-agent': 'Own/1',
      'cache-control': 'no-cache',
    };
    const secret = {
      Authorization: 'Bearer x',
      Cookie: 'c=1',
      Host: 'own.example.org',
      'X-Api-Key': 'k',
      'X-Auth-Token': 't',
      Referer: 'https://example.org/?token=t',
      'Content-Type': 'text/x-secret',
    };
    const seen: IncomingHttpHeaders[] = [];
    await using other = await httpTarget((req, res) => {
      seen.push(req.headers);
      res.end();
    });
    await using target = await httpTarget((req, res) => {
      seen.push(req.headers);
      res.writeHead(307, { location: req.url === '/' ? '/here' : other.url }).end();
    });
    await get(target.url, { method: 'POST', headers: { ...harmless, ...secret } });
    const all = Object.fromEntries(Object.entries(secret).map(([name, value]) => [name.toLowerCase(), value]));
    const own = { 'accept-encoding': 'identity', connection: 'close', 'content-length': '0' };
    expect(seen).toEqual([
      { ...harmless, ...all, ...own },
      { ...harmless, ...all, ...own },
      { ...harmless, ...own, host: `${other.host}:${other.port}` },
    ]);
  });

  it.each([
    ['another port', 307, 'POST', (port: number) => `http://127.77.0.1:${port}/new?t=1`],
    ['another host', 308, 'PUT', (port: number) => `http://one.example.org:${port}/new?t=1`],
    ['another scheme', 302, 'PATCH', (port: number) => `https://127.77.0.1:${port}/new?t=1`],
  ])('do not send a body to %s (%i)', async (_what, status, method, to) => {
    await using other = await httpTarget((_req, res) => res.end());
    const location = to(other.port);
    await using target = await httpTarget((_req, res) => res.writeHead(status, { location }).end());
    expect(await failure(get(target.url, { method, body: 'secret' }))).toMatchObject({
      kind: 'redirect',
      answered: true,
      status,
      message: `redirected to ${location.replace('?t=1', '')}, another origin, to which the body is not sent: put the final address into the URL`,
    });
    expect(other.connections()).toBe(0);
  });

  it.each([
    ['http://a.example/', 'https://a.example/login', false],
    ['http://a.example/', 'http://a.example/login', false],
    ['https://a.example/', 'http://a.example/', true],
    ['http://a.example:8080/', 'https://a.example/', true],
    ['http://a.example/', 'https://a.example:8443/', true],
    ['http://a.example/', 'https://www.a.example/', true],
  ])('leave the origin from %s to %s: %s', (from, to, leaves) => {
    expect(leavesOrigin(new URL(from), new URL(to))).toBe(leaves);
  });

  it('continue to another origin if the method changes to GET without a body', async () => {
    await using other = await httpTarget((req, res) => res.end(`${req.method} ${req.headers['content-length']}`));
    await using target = await httpTarget((_req, res) => res.writeHead(303, { location: other.url }).end());
    expect((await get(target.url, { method: 'POST', body: 'secret' })).body).toBe('GET undefined');
  });

  it.each([
    [
      'http://127.0.0.1:1/secret?token=1',
      'redirected to http://127.0.0.1:1/secret, which is refused: 127.0.0.1 is a loopback address, to which connections are not allowed; the operator can allow it with EGRESS_ALLOW (docs/operate/settings.md)',
    ],
    [
      '//[::ffff:7f00:1]/',
      'redirected to http://[::ffff:7f00:1]/, which is refused: ::ffff:7f00:1 is not a public address',
    ],
    [
      'http://metadata/',
      'redirected to http://metadata/, which is refused: metadata is not a full name, and only public hosts may be reached',
    ],
    [
      'http://inside.example.org/',
      'redirected to http://inside.example.org/, which is refused: inside.example.org resolves to an address that is not public, and only public hosts may be reached',
    ],
  ])('are refused to %s', async (location, message) => {
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location }).end());
    expect(await failure(get(target.url))).toMatchObject({ kind: 'egress', message, status: 302 });
  });

  it.each(['ftp://example.com/', 'http://', 'javascript:alert(1)'])(
    'fail for %s, which is not an http or https URL',
    async (location) => {
      await using target = await httpTarget((_req, res) => res.writeHead(301, { location }).end());
      expect(await failure(get(target.url))).toMatchObject({ kind: 'redirect', answered: true, status: 301 });
    },
  );

  it('fail at once in a loop', async () => {
    await using target = await httpTarget((req, res) =>
      res.writeHead(302, { location: req.url === '/a' ? '/b' : '/a' }).end(),
    );
    const error = await failure(get(`${target.url}/a`));
    const message = `redirect loop: ${target.url}/a was requested before`;
    expect(error).toMatchObject({ kind: 'redirect', message, status: 302 });
    expect(target.connections()).toBe(2);
  });

  it('fail with the status of the last response if nothing listens at the new address', async () => {
    const location = `http://127.77.0.1:${await closedPort()}/`;
    await using target = await httpTarget((_req, res) => res.writeHead(307, { location }).end());
    expect(await failure(get(target.url))).toMatchObject({ kind: 'connect', status: 307 });
  });

  it('fail beyond the maximum number of redirects', async () => {
    let hops = 0;
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: `/${++hops}?t=1` }).end());
    const error = await failure(get(target.url, { max_redirects: 3 }));
    expect(error).toMatchObject({ kind: 'redirect', message: `more than 3 redirects, the last to ${target.url}/4` });
  });
});

it('resolves a name only once, and connects to the address that it checked', async () => {
  await using target = await httpTarget((_req, res) => res.end('checked'));
  const answers = [['127.77.0.1'], ['127.0.0.1']];
  let lookups = 0;
  const rebinding = makeNet({ EGRESS_ALLOW: ['127.77.0.0/16'] }, async () => answers[lookups++] ?? []);
  const reply = await rebinding.http({
    url: `http://rebind.example.org:${target.port}/`,
    method: 'GET',
    timeout_ms: 3_000,
    max_body_bytes: 10,
    egress: 'public',
    max_redirects: 0,
  });
  expect([reply.body, lookups]).toEqual(['checked', 1]);
});
