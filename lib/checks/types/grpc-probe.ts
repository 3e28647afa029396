import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { type Dialog, outcomeOfDialog, runDialog } from '#lib/checks/conversation/dialog.ts';
import { outcomeOfProbe } from '#lib/checks/outcome.ts';
import { boundedStream } from '#lib/net/bounded-stream.ts';
import { statusName } from '#lib/net/http-status.ts';
import type { Connection } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { VERSION } from '#lib/platform/version.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import type { GrpcConfig as Config } from './grpc.ts';

const MAX_MESSAGE = 64 * 1024;
const MAX_BYTES = 256 * 1024;

export const probeGrpc = (
  { config }: SettingsWith<Config>,
  { net, settings, timeout_ms, cpu, withDetails = false }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { host, port, servername, verify_tls: verify = true } = config;
    const tls = config.tls ? { servername, verify, alpn: ['h2'] } : undefined;
    const request = { host, port, tls, timeout_ms, egress: settings.CHECK_EGRESS };
    const dialog = await runDialog(net, request, new HealthCheck(config));
    return outcomeOfDialog(dialog, config.assertions, { cpu, withDetails });
  });

/** Statuses of a health check (health.proto). */
const HEALTH = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const SERVING = 1;

const STATUS_CODES =
  'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
    ' ',
  );

/** A health request over HTTP/2 without a gRPC library (specification: gRPC over HTTP2). */
class HealthCheck implements Dialog {
  interrupted = false;
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  onTimeout(): string {
    return '';
  }

  run(connection: Connection): Promise<string> {
    const { host, port, tls, service } = this.#config;
    if (tls && connection.handshake?.protocol !== 'h2') {
      return Promise.resolve('it does not support HTTP/2 (ALPN h2), which gRPC requires');
    }
    connection.setAwaited('its health response');
    const { promise, resolve } = Promise.withResolvers<string>();
    const stream = boundedStream(connection.stream, MAX_BYTES, () => resolve('it sends more than 256 KB'));
    const authority = `${tls ? 'https' : 'http'}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
    const session = connect(authority, { createConnection: () => stream, settings: { enablePush: false } });
    session.on('error', (error) => resolve(this.#connectionProblem(error)));
    session.on('close', () => resolve(this.#connectionProblem()));
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': `Fleetwatch/${VERSION}`,
      te: 'trailers',
    });
    call.on('error', (error) => resolve(this.#connectionProblem(error)));
    call.end(frame(service));
    this.#read(call, resolve);
    return promise;
  }

  #read(call: ClientHttp2Stream, resolve: (problem: string) => void): void {
    let body = Buffer.alloc(0);
    let trailers: IncomingHttpHeaders | undefined;
    call.on('response', (headers) => {
      trailers = headers;
      const status = headers[':status'] ?? 0;
      if (status !== 200) resolve(`the server answered ${statusName(status)} instead of gRPC`);
    });
    call.on('trailers', (headers) => {
      trailers = headers;
    });
    call.on('data', (piece: Buffer) => {
      body = Buffer.concat([body, piece]);
      if (body.length > MAX_MESSAGE) resolve('its response has more than 64 KB');
    });
    call.on('end', () => resolve(trailers ? this.#evaluate(trailers, body) : this.#connectionProblem()));
  }

  #evaluate(trailers: IncomingHttpHeaders, body: Buffer): string {
    const name = this.#config.service === '' ? 'the server' : JSON.stringify(this.#config.service);
    const status = trailers['grpc-status'];
    if (typeof status !== 'string') return 'its response ends without a grpc-status: it is not a gRPC server';
    if (status === '12') return 'the server has no grpc.health.v1.Health service';
    if (status === '5') return `the server has no service ${JSON.stringify(this.#config.service)}`;
    if (status !== '0') {
      const reason = trailers['grpc-message'];
      return `the server answered ${STATUS_CODES[Number(status)] ?? status}${reason ? `: ${shorten(decodePercent(String(reason)), 100)}` : ''}`;
    }
    const health = healthIn(body);
    if (health === undefined) return 'its response has no health status';
    return health === SERVING ? '' : `health of ${name} is ${HEALTH[health] ?? health}`;
  }

  #connectionProblem(error?: Error & { code?: string }): string {
    this.interrupted = error?.code === undefined || error.code === 'ECONNRESET';
    if (error?.code === 'ERR_HTTP2_ERROR') return `it does not speak HTTP/2, which gRPC requires (${error.message})`;
    return `it closed the connection without an answer${error ? ` (${error.message})` : ''}`;
  }
}

/** Encodes a HealthCheckRequest (field 1: service) after a prefix: a byte for "not compressed", and the length. */
function frame(service: string): Buffer {
  const name = Buffer.from(service);
  // A length of 128 or more takes two bytes.
  const length = name.length < 128 ? [name.length] : [(name.length & 0x7f) | 0x80, name.length >> 7];
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Returns the status of a HealthCheckResponse (field 1, omitted if 0); undefined if the message is not valid. */
function healthIn(body: Buffer): number | undefined {
  if (body.length < 5 || body[0] !== 0 || body.length < 5 + body.readUInt32BE(1)) return undefined;
  if (body.readUInt32BE(1) === 0) return 0;
  return body[5] === 0x08 ? body[6] : undefined;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
