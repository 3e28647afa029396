import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { judgedTalk, type Talk, talkOver } from '#lib/checks/conversation/run-conversation.ts';
import { probing } from '#lib/checks/outcome.ts';
import { boundedStream } from '#lib/net/bounded-stream.ts';
import { statusName } from '#lib/net/http-status.ts';
import type { Connection } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { VERSION } from '#lib/platform/version.ts';
import type { ProbeInput, Settled } from './check-type.ts';
import type { GrpcConfig as Config } from './grpc.ts';

/** The answer is a few bytes; so much of it is read, and so much of everything that comes with it. */
const MAX_MESSAGE = 64 * 1024;
const MAX_BYTES = 256 * 1024;

/** Asks a gRPC server for the health of a service. */
export const probeGrpc = ({ config }: Settled<Config>, { net, settings, timeout_ms, shows = false }: ProbeInput) =>
  probing(async () => {
    const { host, port, servername, verify_tls: verify = true } = config;
    const tls = config.tls ? { servername, verify, alpn: ['h2'] } : undefined;
    const request = { host, port, tls, timeout_ms, egress: settings.CHECK_EGRESS };
    return judgedTalk(await talkOver(net, request, new HealthCheck(config)), config.assertions, shows);
  });

/** What a health check answers (health.proto). */
const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const SERVING = 1;

const CODES =
  'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
    ' ',
  );

/** One call over HTTP/2, written by hand: a few bytes there and back (the protocol of gRPC over HTTP2). */
class HealthCheck implements Talk {
  interrupted = false;
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  whenTimeIsOver(): string {
    return '';
  }

  over(connection: Connection): Promise<string> {
    const { host, port, tls, service } = this.#config;
    if (tls && connection.handshake?.protocol !== 'h2') {
      return Promise.resolve('it does not agree to HTTP/2 (ALPN h2) in the TLS handshake, which gRPC needs');
    }
    connection.waitFor('its health');
    const { promise, resolve } = Promise.withResolvers<string>();
    const stream = boundedStream(connection.stream, MAX_BYTES, () => resolve('it sends more than 256 KB'));
    const authority = `${tls ? 'https' : 'http'}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
    const session = connect(authority, { createConnection: () => stream, settings: { enablePush: false } });
    session.on('error', (error) => resolve(this.#broken(error)));
    session.on('close', () => resolve(this.#broken()));
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': `Fleetwatch/${VERSION}`,
      te: 'trailers',
    });
    call.on('error', (error) => resolve(this.#broken(error)));
    call.end(framed(service));
    this.#read(call, resolve);
    return promise;
  }

  #read(call: ClientHttp2Stream, resolve: (problem: string) => void): void {
    let body = Buffer.alloc(0);
    let trailers: IncomingHttpHeaders | undefined;
    call.on('response', (headers) => {
      trailers = headers;
      const status = headers[':status'] ?? 0;
      if (status !== 200) resolve(`the server answered ${statusName(status)} in place of gRPC`);
    });
    call.on('trailers', (headers) => {
      trailers = headers;
    });
    call.on('data', (piece: Buffer) => {
      body = Buffer.concat([body, piece]);
      if (body.length > MAX_MESSAGE) resolve('its answer has more than 64 KB');
    });
    call.on('end', () => resolve(trailers ? this.#judge(trailers, body) : this.#broken()));
  }

  #judge(trailers: IncomingHttpHeaders, body: Buffer): string {
    const name = this.#config.service === '' ? 'the server' : JSON.stringify(this.#config.service);
    const status = trailers['grpc-status'];
    if (typeof status !== 'string') return 'its answer ends without a grpc-status: it is no gRPC server';
    if (status === '12') return 'the server has no grpc.health.v1.Health service';
    if (status === '5') return `the server does not know the service ${JSON.stringify(this.#config.service)}`;
    if (status !== '0') {
      const said = trailers['grpc-message'];
      return `the server answered ${CODES[Number(status)] ?? status}${said ? `: ${shorten(decoded(String(said)), 100)}` : ''}`;
    }
    const health = healthIn(body);
    if (health === undefined) return 'its answer holds no health';
    return health === SERVING ? '' : `health of ${name} is ${HEALTH[health] ?? health}`;
  }

  #broken(error?: Error & { code?: string }): string {
    this.interrupted = error?.code === undefined || error.code === 'ECONNRESET';
    if (error?.code === 'ERR_HTTP2_ERROR') return `what it sent is no HTTP/2, which gRPC needs (${error.message})`;
    return `it closed the connection without an answer${error ? ` (${error.message})` : ''}`;
  }
}

/** HealthCheckRequest with its service as field 1, behind a byte for "not compressed" and its length. */
function framed(service: string): Buffer {
  const name = Buffer.from(service);
  // A length from 128 on takes two bytes.
  const length = name.length < 128 ? [name.length] : [(name.length & 0x7f) | 0x80, name.length >> 7];
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Field 1 of a HealthCheckResponse, which is left out when it is 0; undefined where that is none. */
function healthIn(body: Buffer): number | undefined {
  if (body.length < 5 || body[0] !== 0 || body.length < 5 + body.readUInt32BE(1)) return undefined;
  if (body.readUInt32BE(1) === 0) return 0;
  return body[5] === 0x08 ? body[6] : undefined;
}

/** A grpc-message has its own characters percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
