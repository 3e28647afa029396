import { describe, expect, it } from 'vitest';
import { makeNet } from '#lib/platform/node-net.ts';
import { closedPort, httpTarget } from '#test/support/socket-target.ts';
import { failure, get } from '#test/support/test-net.ts';

describe('redirects', () => {
  it('are followed to the end, the method turning to GET where it does in a browser', async () => {
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

  it('are the answer when none may be followed', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: '/next' }).end('moved'));
    expect(await get(target.url, { max_redirects: 0 })).toMatchObject({
      status: 302,
      body: 'moved',
      headers: { location: '/next' },
    });
    expect(target.connections()).toBe(1);
  });

  it('without a Location are the answer', async () => {
    await using target = await httpTarget((_req, res) => res.writeHead(302).end());
    expect(await get(target.url)).toMatchObject({ status: 302 });
  });

  it('take credentials along only within the origin', async () => {
    const headers = { Authorization: 'Bearer x', Cookie: 'c=1', 'X-Own': '1' };
    const seen: object[] = [];
    await using other = await httpTarget((req, res) => {
      seen.push(req.headers);
      res.end();
    });
    await using target = await httpTarget((req, res) => {
      seen.push(req.headers);
      res.writeHead(302, { location: req.url === '/' ? '/here' : other.url }).end();
    });
    await get(target.url, { headers });
    expect(seen).toMatchObject([
      { authorization: 'Bearer x', cookie: 'c=1' },
      { authorization: 'Bearer x', cookie: 'c=1' },
      { 'x-own': '1' },
    ]);
    expect(Object.keys(seen[2] as object)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(Object.keys(seen[2] as object)).not.toEqual(expect.arrayContaining(['cookie']));
  });

  it.each([
    [
      'http://127.0.0.1:1/secret?token=1',
      'redirected to http://127.0.0.1:1/secret, which is refused: 127.0.0.1 is a loopback address, which may not be reached from here',
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
      'redirected to http://inside.example.org/, which is refused: inside.example.org resolves to 127.0.0.1; 127.0.0.1 is a loopback address, which may not be reached from here',
    ],
  ])('to %s are refused', async (location, message) => {
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location }).end());
    expect(await failure(get(target.url))).toMatchObject({ kind: 'egress', message, status: 302 });
  });

  it.each(['ftp://example.com/', 'http://', 'javascript:alert(1)'])(
    'to %s, which is no web address, fail',
    async (location) => {
      await using target = await httpTarget((_req, res) => res.writeHead(301, { location }).end());
      expect(await failure(get(target.url))).toMatchObject({ kind: 'redirect', answered: true, status: 301 });
    },
  );

  it('in a loop fail at once', async () => {
    await using target = await httpTarget((req, res) =>
      res.writeHead(302, { location: req.url === '/a' ? '/b' : '/a' }).end(),
    );
    const error = await failure(get(`${target.url}/a`));
    const message = `redirect loop: ${target.url}/a was asked before`;
    expect(error).toMatchObject({ kind: 'redirect', message, status: 302 });
    expect(target.connections()).toBe(2);
  });

  it('into nowhere fail with the status of the last response', async () => {
    const location = `http://127.77.0.1:${await closedPort()}/`;
    await using target = await httpTarget((_req, res) => res.writeHead(307, { location }).end());
    expect(await failure(get(target.url))).toMatchObject({ kind: 'connect', status: 307 });
  });

  it('that are too many fail', async () => {
    let hops = 0;
    await using target = await httpTarget((_req, res) => res.writeHead(302, { location: `/${++hops}?t=1` }).end());
    const error = await failure(get(target.url, { max_redirects: 3 }));
    expect(error).toMatchObject({ kind: 'redirect', message: `more than 3 redirects, the last to ${target.url}/4` });
  });
});

it('asks for a name once and connects to that answer, whatever a second look-up would say', async () => {
  await using target = await httpTarget((_req, res) => res.end('judged'));
  const answers = [['127.77.0.1'], ['127.0.0.1']];
  let asked = 0;
  const rebinding = makeNet({ EGRESS_ALLOW: ['127.77.0.0/16'] }, async () => answers[asked++] ?? []);
  const reply = await rebinding.http({
    url: `http://rebind.example.org:${target.port}/`,
    method: 'GET',
    timeout_ms: 3_000,
    max_body_bytes: 10,
    egress: 'public',
    max_redirects: 0,
  });
  expect([reply.body, asked]).toEqual(['judged', 1]);
});
