import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeGateway } from '#infra/local/http/http.ts';
import { readSettings } from '#lib/settings.ts';
import { gateway, log, parseResponse, port, responseOf, sendRaw, start, stop, url } from './gateway.ts';

afterEach(async () => {
  vi.useRealTimers();
  await stop();
});

describe('the HTTP gateway', () => {
  describe('limits', () => {
    const upload = (megabytes: number) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      return fetch(url, {
        method: 'POST',
        body: new ReadableStream({
          pull: (controller) => (megabytes-- > 0 ? controller.enqueue(chunk) : controller.close()),
        }),
        duplex: 'half',
      } as RequestInit);
    };

    it('passes a body up to the limit of the function, and nothing of a larger one', async () => {
      const MB = 1024 * 1024;
      await start(async ({ readBody }) => responseOf(String((await readBody!(2 * MB))?.length)));
      expect(await (await upload(2)).text()).toBe(String(2 * MB));
      expect(await (await upload(11)).text()).toBe('undefined');
    });

    it('does not read an unwanted body', async () => {
      let entered = 0;
      await start(async () => {
        entered++;
        return new Promise(() => {});
      });
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`POST / HTTP/1.1\r\nhost: h\r\ncontent-length: ${10 ** 12}\r\n\r\n`);
      await vi.waitFor(() => expect(entered).toBe(1));
      for (let i = 0; i < 64; i++) socket.write(chunk);
      await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0));
      // The gateway reads nothing: the system buffers between the two sockets take only a part.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(socket.writableLength).toBeGreaterThan(40 * chunk.length);
      socket.destroy();
    });

    it('keeps the connection for the next request after a large body that the function did not read', async () => {
      await start(async (event) => responseOf(event.rawPath));
      const large = 'x'.repeat(5 * 1024 * 1024);
      const head = `POST /1 HTTP/1.1\r\nhost: h\r\ncontent-length: ${large.length}\r\n\r\n`;
      const answer = await sendRaw(`${head}${large}GET /2 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`, port);
      expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(2);
      expect(answer).toMatch(/\/2$/);
    });

    it('delivers the response to a large body on a closing connection', async () => {
      await start(async () => responseOf('seen'));
      const large = 'x'.repeat(11 * 1024 * 1024);
      const head = `POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: ${large.length}\r\n\r\n`;
      expect(await sendRaw(head + large, port)).toMatch(/seen$/);
    });

    it('cuts a client after the response if its body never ends', async () => {
      await start(async () => responseOf('heard'));
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      let answer = '';
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(`POST / HTTP/1.1\r\nhost: h\r\ncontent-length: ${10 ** 12}\r\n\r\n`);
          more();
        });
        const more = () => {
          while (!socket.destroyed && socket.write(chunk)) sent++;
          sent++;
        };
        socket.on('drain', more);
        socket.on('data', (text) => {
          answer += text;
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toMatch(/heard$/);
      expect(sent).toBeGreaterThan(16);
      expect(sent).toBeLessThan(200);
    });

    it.each([
      ['text that is not HTTP', 'hello\r\n\r\n', 400],
      ['a header that is too large', `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['two lengths', 'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
      ['a garbled chunk', 'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 400],
      ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ])('rejects %s, closes the connection, and serves other clients', async (_, text, status) => {
      await start();
      expect(await sendRaw(text, port)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect((await fetch(url)).status).toBe(200);
    });

    it.each(['a, b', 'a b'])('rejects %j in Host', async (host) => {
      await start();
      const answer = parseResponse(await sendRaw(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`, port));
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'host' }] } });
    });

    it('accepts a request without a host in HTTP/1.0', async () => {
      await start();
      expect(parseResponse(await sendRaw('GET /a HTTP/1.0\r\n\r\n', port))).toMatchObject({
        status: 200,
        body: { rawPath: '/a' },
      });
    });

    it('accepts a request line with an absolute URL', async () => {
      await start();
      const answer = await sendRaw('GET http://h/v1/me?a=1 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n', port);
      expect(answer).toContain('"rawPath":"/v1/me","rawQueryString":"a=1"');
    });
  });

  describe('clients', () => {
    it('may disconnect during a request or a response', async () => {
      let entered = 0;
      let release = () => {};
      await start(async () => {
        entered++;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return responseOf('late');
      });
      const half = connect(port, '127.0.0.1', () =>
        half.write('POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\nabc'),
      );
      await vi.waitFor(() => expect(half.bytesWritten).toBeGreaterThan(0));
      half.destroy();
      const waiting = connect(port, '127.0.0.1', () => waiting.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n'));
      await vi.waitFor(() => expect(entered).toBe(1));
      waiting.destroy();
      release();
      const again = fetch(url);
      await vi.waitFor(() => expect(entered).toBe(2));
      release();
      expect(await (await again).text()).toBe('late');
    });

    it('keep their connection for the next request', async () => {
      await start();
      const answer = await sendRaw(
        'GET /1 HTTP/1.1\r\nhost: h\r\n\r\nPOST /2 HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}GET /3 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n',
        port,
      );
      expect(answer.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    });

    it('get the response in flight while the gateway stops, and no new one', async () => {
      let entered = false;
      let release = () => {};
      await start(async () => {
        entered = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return responseOf('done');
      });
      const idle = connect(port, '127.0.0.1');
      const reply = fetch(url);
      await vi.waitFor(() => expect(entered).toBe(true));
      const stopped = gateway.stop();
      await expect(fetch(url)).rejects.toThrow();
      release();
      const answer = await reply;
      expect(answer.headers.get('connection')).toBe('close');
      expect(await answer.text()).toBe('done');
      await stopped;
      idle.destroy();
    });
  });

  it('rejects a port in use', async () => {
    await start();
    const other = makeGateway({}, { settings: readSettings({}), log });
    await expect(other.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
