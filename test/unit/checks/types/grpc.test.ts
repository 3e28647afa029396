import { createServer, type ServerHttp2Stream } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '#test/support/certificates.ts';
import { grpcServer } from '#test/support/grpc-server.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { httpTarget, listening, rawTarget } from '#test/support/socket-target.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

type At = { host: string; port: number };

const world = probeWorld({ timeout_ms: 2_000 });
const probe = ({ host, port }: At, config: object = {}, given = world) =>
  probeCheck({ check_type: 'grpc', config: { host, port, tls: false, ...config } }, given);

const GOOD = { success: true, error_kind: null, error_message: '' };
const wrong = (error_message: string | RegExp) => ({
  success: false,
  error_kind: 'protocol',
  error_message: typeof error_message === 'string' ? error_message : expect.stringMatching(error_message),
});

describe('a grpc check of a real server (@grpc/grpc-js)', () => {
  it('succeeds if the service is SERVING', async () => {
    const asked: string[] = [];
    await using server = await grpcServer((service) => {
      asked.push(service);
      return { health: 1 };
    });
    const long = `shop.${'Cart'.repeat(40)}`;
    for (const service of [undefined, 'shop.Cart', long]) {
      expect(await probe(server, service === undefined ? {} : { service })).toMatchObject(GOOD);
    }
    expect(asked).toEqual(['', 'shop.Cart', long]);
  });

  it.each([
    [{ health: 2 }, 'health of "shop.Cart" is NOT_SERVING'],
    [{ health: 0 }, 'health of "shop.Cart" is UNKNOWN'],
    [{ health: 9 }, 'health of "shop.Cart" is 9'],
    [{ code: status.NOT_FOUND, details: 'unknown service' }, 'the server has no service "shop.Cart"'],
    [{ code: status.UNAVAILABLE, details: 'zu früh, später' }, 'the server answered UNAVAILABLE: zu früh, später'],
  ])('reports %o', async (answer, message) => {
    await using server = await grpcServer(() => answer);
    expect(await probe(server, { service: 'shop.Cart' })).toMatchObject(wrong(message));
  });

  it('reports a server that is not serving', async () => {
    await using server = await grpcServer(() => ({ health: 2 }));
    expect(await probe(server)).toMatchObject(wrong('health of the server is NOT_SERVING'));
  });

  it('reports a server without a health service', async () => {
    await using server = await grpcServer(undefined);
    expect(await probe(server)).toMatchObject(wrong('the server has no grpc.health.v1.Health service'));
  });

  it('uses TLS by default and verifies the certificate', async () => {
    await using server = await grpcServer(() => ({ health: 1 }), await selfSigned(['127.77.0.1']));
    const { host, port } = server;
    expect(await probeCheck({ check_type: 'grpc', config: { host, port } }, world)).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: 'certificate is self-signed: no authority vouches for it',
    });
    expect(await probe(server, { tls: true, verify_tls: false })).toMatchObject(GOOD);
    expect(await probe(server)).toMatchObject({ success: false });
  });

  it('connects only where the egress guard allows it', async () => {
    await using server = await grpcServer(() => ({ health: 1 }), undefined, '127.0.0.1');
    expect(await probe(server)).toMatchObject({ success: false, error_kind: 'egress' });
  });

  it('reads at most 64 KB of a response', async () => {
    await using server = await grpcServer(() => ({ bytes: Buffer.alloc(5 * 1024 * 1024) }));
    expect(await probe(server)).toMatchObject(wrong('its response has more than 64 KB'));
  });

  it('reports an invalid response', async () => {
    await using server = await grpcServer(() => ({ bytes: Buffer.from('hello') }));
    expect(await probe(server)).toMatchObject(wrong('its response has no health status'));
  });
});

describe('a grpc check of an unusual HTTP/2 server', () => {
  /** @param answer handles each request */
  const http2Target = (answer: (stream: ServerHttp2Stream) => void) => {
    const server = createServer();
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      answer(stream);
    });
    server.on('session', (session) => session.on('error', () => {}));
    return listening(server as never, '127.77.0.1', 'http');
  };

  it('reads the status of a response with trailers only', async () => {
    await using target = await http2Target((stream) =>
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true }),
    );
    expect(await probe(target)).toMatchObject(wrong('the server answered UNAVAILABLE'));
  });

  it('fails for OK without a health status', async () => {
    await using target = await http2Target((stream) =>
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' }, { endStream: true }),
    );
    expect(await probe(target)).toMatchObject(wrong('its response has no health status'));
  });

  it('reports the status of a server without gRPC', async () => {
    await using target = await http2Target((stream) => {
      stream.respond({ ':status': 404 });
      stream.end('nothing here');
    });
    expect(await probe(target)).toMatchObject(wrong('the server answered 404 (Not Found) instead of gRPC'));
    await using page = await http2Target((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      stream.end('<html>');
    });
    expect(await probe(page)).toMatchObject(wrong('its response ends without a grpc-status: it is not a gRPC server'));
  });

  it('reports a reset stream', async () => {
    await using target = await http2Target((stream) => stream.close(2));
    expect(await probe(target)).toMatchObject({ success: false, error_kind: 'protocol' });
  });

  it('waits for a hanging server until the timeout', async () => {
    await using target = await http2Target(() => {});
    expect(await probe(target, {}, probeWorld({ timeout_ms: 300 }))).toMatchObject({
      error_kind: 'timeout',
      error_message: expect.stringContaining('waiting for its health'),
    });
  });
});

describe('a grpc check of a server without HTTP/2', () => {
  it('reports HTTP/1.1', async () => {
    await using target = await httpTarget((_, response) => response.end());
    expect(await probe(target)).toMatchObject(wrong(/HTTP\/2|closed the connection/));
  });

  it('reports a greeting of another protocol', async () => {
    await using target = await rawTarget((socket) => void socket.write('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n'));
    expect(await probe(target)).toMatchObject(wrong(/^it does not speak HTTP\/2, which gRPC requires/));
  });

  it('reports a closed connection', async () => {
    await using target = await rawTarget((socket) => void socket.end());
    expect(await probe(target)).toMatchObject(wrong(/^it closed the connection without an answer/));
  });

  it('stops reading endless frames', async () => {
    let written = 0;
    await using target = await rawTarget((socket) => {
      // Settings frames, whose number has no limit.
      const piece = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])));
      const more = setInterval(() => {
        socket.write(piece);
        written += piece.length;
      }, 1);
      socket.on('close', () => clearInterval(more));
    });
    expect(await probe(target)).toMatchObject({ success: false, error_kind: 'protocol' });
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('reports TLS without ALPN h2', async () => {
    await using target = await tlsTarget(await selfSigned(['127.77.0.1']));
    expect(await probe(target, { tls: true, verify_tls: false })).toMatchObject(
      wrong('it does not support HTTP/2 (ALPN h2), which gRPC requires'),
    );
  });
});
