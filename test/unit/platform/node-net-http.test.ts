import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type HttpRequest, NetError } from '#lib/platform/net.ts';
import { makeNet } from '#lib/platform/node-net.ts';
import { VERSION } from '#lib/platform/version.ts';
import { closedPort, httpTarget, rawTarget } from '#test/support/socket-target.ts';
import { stalledListener } from '#test/support/stalled-listener.ts';

const NAMES: Record<string, string[]> = {
  'one.example.org': ['127.77.0.1'],
  'two.example.org': ['127.77.0.3', '127.77.0.1'],
  'mixed.example.com': ['127.77.0.1', '127.0.0.1'],
  'inside.example.org': ['127.0.0.1'],
};
const net = makeNet({ EGRESS_ALLOW: ['127.77.0.0/16'] }, async (name) => {
  const addresses = NAMES[name];
  if (addresses) return addresses;
  throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
});

const get = (url: string, more: Partial<HttpRequest> = {}) =>
  net.http({
    url,
    method: 'GET',
    timeout_ms: 3_000,
    max_body_bytes: 1024,
    egress: 'public',
    max_redirects: 5,
    ...more,
  });

/** The error of an exchange that must fail. */
const failure = async (exchange: Promise<unknown>): Promise<NetError> => {
  const error = await exchange.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(NetError);
  return error;
};

describe('one exchange', () => {
  it('sends what was asked, and who asks', async () => {
    await using target = await httpTarget((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => {
        res.setHeader('X-Twice', ['a', 'b']);
        res.setHeader('Set-Cookie', ['c=1', 'd=2']);
        res.statusCode = 207;
        res.end(
          JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body: `${Buffer.concat(chunks)}` }),
        );
      });
    });
    const reply = await get(`${target.url}/a%20b?c=d`, {
      method: 'POST',
      body: 'grüße',
      headers: { 'X-Own': '1', Accept: 'text/plain' },
    });
    expect(reply).toMatchObject({ status: 207, headers: { 'x-twice': 'a, b', 'set-cookie': 'c=1, d=2' } });
    expect(reply.latency_ms).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(reply.body)).toEqual({
      method: 'POST',
      url: '/a%20b?c=d',
      body: 'grüße',
      headers: {
        host: `${target.host}:${target.port}`,
        'user-agent': `Fleetwatch/${VERSION}`,
        accept: 'text/plain',
        'accept-encoding': 'identity',
        connection: 'close',
        'content-length': '7',
        'x-own': '1',
      },
    });
  });

  it('opens a new connection each time', async () => {
    await using target = await httpTarget((_req, res) => res.end('ok'));
    await get(target.url);
    await get(target.url);
    expect(target.connections()).toBe(2);
  });

  it('keeps the name for the Host header and goes to the address it was judged by', async () => {
    await using target = await httpTarget((req, res) => res.end(req.headers.host));
    expect((await get(`http://one.example.org:${target.port}/`)).body).toBe(`one.example.org:${target.port}`);
  });

  it('tries the next address of a name when the first refuses', async () => {
    await using target = await httpTarget((_req, res) => res.end('second'));
    expect((await get(`http://two.example.org:${target.port}/`)).body).toBe('second');
  });

  it('tries the next address of a name when the first never answers', async () => {
    await using stalled = await stalledListener('127.77.0.3');
    await using target = await rawTarget(
      (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
      '127.77.0.1',
      stalled.port,
    );
    expect(await get(`http://two.example.org:${target.port}/`)).toMatchObject({ status: 204 });
  });

  it('reaches an IPv6 address', async () => {
    await using target = await httpTarget((_req, res) => res.end('six'), '::1');
    expect((await get(target.url, { egress: 'any' })).body).toBe('six');
  });

  it('takes a HEAD response, which has no body', async () => {
    await using target = await httpTarget((_req, res) => res.setHeader('content-length', 5).end());
    expect(await get(target.url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '5' },
    });
  });

  it('takes a 101 for an answer', async () => {
    await using target = await rawTarget((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    expect(await get(target.url)).toMatchObject({ status: 101, body: '' });
  });

  it('passes over early hints', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    expect(await get(target.url)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('does not mind what comes behind a complete response', async () => {
    await using target = await rawTarget((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more than was promised');
    });
    expect((await get(target.url)).body).toBe('ok');
  });

  it('takes a body that ends with the connection', async () => {
    await using target = await rawTarget((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold but fine'));
    expect((await get(target.url)).body).toBe('old but fine');
  });

  it('reads a body in the charset that the target names', async () => {
    await using target = await httpTarget((_req, res) => {
      res.setHeader('content-type', 'text/html; charset="ISO-8859-1"').end(Buffer.from('gr\xfc\xdfe', 'latin1'));
    });
    expect((await get(target.url)).body).toBe('grüße');
  });
});

describe('the cap on the body', () => {
  it('leaves the rest of a huge body unread', async () => {
    let sent = 0;
    await using target = await httpTarget((_req, res) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!res.destroyed && res.write(chunk)) sent += chunk.length;
      };
      res.on('drain', more);
      more();
    });
    expect((await get(target.url, { max_body_bytes: 100_000 })).body).toHaveLength(100_000);
    expect(sent).toBeLessThan(50_000_000);
  });

  it('cuts between two characters', async () => {
    await using target = await httpTarget((_req, res) => res.end('äöü'));
    expect((await get(target.url, { max_body_bytes: 3 })).body).toBe('ä');
  });

  it('of 0 ends the exchange with the headers', async () => {
    await using target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
    expect(await get(target.url, { max_body_bytes: 0 })).toMatchObject({ status: 200, body: '' });
  });
});

describe('the deadline', () => {
  const within = { timeout_ms: 150 };
  const drip = (socket: Socket, text: string) => {
    socket.write(text);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, (socket: Socket) => void, string]>([
    ['never answers', () => {}, 'waiting for the response'],
    ['drips its headers', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: '), 'waiting for the response'],
    ['drips its body', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n'), 'waiting for the rest of the body'],
    [
      'sends early hints for ever',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
      'waiting for the response',
    ],
  ])('ends an exchange with a target that %s, and says what was waited for', async (_what, onConnection, stage) => {
    await using target = await rawTarget(onConnection);
    const error = await failure(get(target.url, within));
    expect(error).toMatchObject({ kind: 'timeout', answered: false });
    expect(error.message).toContain('no answer within 150 ms (');
    expect(error.message).toContain(stage);
  });

  it('ends an attempt to connect that nobody answers', async () => {
    await using stalled = await stalledListener();
    const error = await failure(get(`http://${stalled.host}:${stalled.port}/`, within));
    expect(error.message).toBe(`no answer within 150 ms (connecting to ${stalled.host}:${stalled.port})`);
  });

  it('ends a look-up that nobody answers, and connects no more when the answer comes late', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    let answered = () => {};
    const late = makeNet(
      { EGRESS_ALLOW: ['127.77.0.0/16'] },
      () =>
        new Promise((resolve) => {
          answered = () => resolve(['127.77.0.1']);
        }),
    );
    const error = await failure(
      late.http({
        url: `http://slow.example.org:${target.port}/`,
        method: 'GET',
        max_body_bytes: 1,
        egress: 'public',
        max_redirects: 0,
        ...within,
      }),
    );
    expect(error.message).toBe('no answer within 150 ms (looking up slow.example.org)');
    answered();
    await sleep(20);
    expect(target.connections()).toBe(0);
  });

  it('holds for all redirects together', async () => {
    let hops = 0;
    await using target = await httpTarget((_req, res) => {
      setTimeout(() => res.writeHead(302, { location: `/${++hops}` }).end(), 60);
    });
    expect(await failure(get(target.url, { ...within, max_redirects: 50 }))).toMatchObject({ kind: 'timeout' });
    expect(hops).toBeLessThan(5);
  });

  it('leaves no socket and no timer behind', async () => {
    const ours = () =>
      process
        .getActiveResourcesInfo()
        .filter((name) => name === 'TCPSocketWrap' || name === 'Timeout')
        .sort();
    const before = ours();
    const silent = await rawTarget(() => {});
    const answering = await httpTarget((_req, res) => res.end('ok'));
    await Promise.allSettled([
      get(silent.url, { timeout_ms: 40 }),
      get(answering.url),
      get(`http://127.77.0.1:${await closedPort()}/`),
      get('http://unknown.test/'),
    ]);
    await silent[Symbol.asyncDispose]();
    await answering[Symbol.asyncDispose]();
    await expect.poll(ours).toEqual(before);
  });
});

describe('failures in plain words', () => {
  it('a refused connection', async () => {
    const port = await closedPort();
    expect(await failure(get(`http://127.77.0.1:${port}/`))).toMatchObject({
      kind: 'connect',
      answered: true,
      message: `connection refused by 127.77.0.1:${port}: nothing listens on that port`,
    });
  });

  it('all addresses of a name refuse', async () => {
    const port = await closedPort();
    expect(await failure(get(`http://two.example.org:${port}/`))).toMatchObject({
      kind: 'connect',
      answered: true,
      message: `connection refused by two.example.org:${port}: nothing listens on that port`,
    });
  });

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['closes at once', (socket) => socket.destroy(), /closed the connection without an answer$/],
    ['closes in an orderly way', (socket) => socket.end(), /closed the connection without an answer$/],
    ['resets', (socket) => socket.resetAndDestroy(), /closed the connection without an answer$/],
    [
      'breaks off the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      /before the response was complete$/,
    ],
    [
      'resets within the body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      /before the response was complete$/,
    ],
    [
      'breaks off its headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A'),
      /closed the connection without an answer$/,
    ],
    ['is no HTTP server', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /is not valid HTTP\/1\.1 \(.+\)$/],
    [
      'answers plain HTTP with TLS',
      (socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
      /speaks TLS: use https$/,
    ],
    [
      'sends two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      /is not valid HTTP/,
    ],
    [
      'sends 100 KB of headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
      /sent more than 16 KB of headers$/,
    ],
  ])('a target that %s', async (_what, onConnection, message) => {
    await using target = await rawTarget((socket) => socket.once('data', () => onConnection(socket)));
    const error = await failure(get(target.url));
    expect(error).toMatchObject({ kind: 'connect', answered: true });
    expect(error.message).toContain(`127.77.0.1:${target.port}`);
    expect(error.message).toMatch(message);
  });

  it('a name that does not exist', async () => {
    expect(await failure(get('http://unknown.test/'))).toMatchObject({
      kind: 'egress',
      message: 'refused: .test is a private zone, and only public hosts may be reached',
    });
    expect(await failure(get('http://unknown.test/', { egress: 'any' }))).toMatchObject({
      kind: 'dns',
      answered: false,
      message: 'the name unknown.test does not resolve (NXDOMAIN): check its spelling and its DNS zone',
    });
  });

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://mixed.example.org/',
    'ftp://one.example.org/',
    'nonsense',
    'http://a:b@127.77.0.1/',
  ])('a refused target: %s', async (url) => {
    NAMES['mixed.example.org'] = ['127.77.0.1', '127.0.0.1'];
    const error = await failure(get(url));
    expect(error.kind).toBe('egress');
    expect(error.message).toMatch(/^refused: /);
  });

  it('a header that cannot be sent, without its value', async () => {
    await using target = await httpTarget((_req, res) => res.end());
    const error = await failure(get(target.url, { headers: { authorization: 'Bearer geheim\r\nx: y' } }));
    expect(error.message).toBe('the request cannot be sent: Invalid character in header content ["authorization"]');
  });
});

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
    expect(await failure(get(target.url))).toMatchObject({ kind: 'egress', message });
  });

  it.each(['ftp://example.com/', 'http://', 'javascript:alert(1)'])(
    'to %s, which is no web address, fail',
    async (location) => {
      await using target = await httpTarget((_req, res) => res.writeHead(301, { location }).end());
      expect(await failure(get(target.url))).toMatchObject({ kind: 'redirect', answered: true });
    },
  );

  it('in a loop fail at once', async () => {
    await using target = await httpTarget((req, res) =>
      res.writeHead(302, { location: req.url === '/a' ? '/b' : '/a' }).end(),
    );
    const error = await failure(get(`${target.url}/a`));
    expect(error).toMatchObject({ kind: 'redirect', message: `redirect loop: ${target.url}/a was asked before` });
    expect(target.connections()).toBe(2);
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

it('says which part of EGRESS_ALLOW is wrong', () => {
  expect(() => makeNet({ EGRESS_ALLOW: ['10.0.0.0/8', '10/8'] })).toThrow(
    'EGRESS_ALLOW: "10/8" is not a range of addresses',
  );
});

it('calls itself by the version of package.json', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
});
