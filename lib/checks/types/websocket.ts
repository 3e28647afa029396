import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';
import { containing, type Expectation, Matches, matching, STEP_BYTES } from '#lib/checks/conversation/expectation.ts';
import { bytesOf, quoted, secretsOfSent } from '#lib/checks/conversation/quoted.ts';
import { judgedTalk, type Talk, talkOver } from '#lib/checks/conversation/talk-over.ts';
import { probing } from '#lib/checks/outcome.ts';
import { boundedStream } from '#lib/platform/net/bounded-stream.ts';
import { HeaderMap } from '#lib/platform/net/header-map.ts';
import type { Connection } from '#lib/platform/net/net.ts';
import { exchangeError } from '#lib/platform/net/net-errors.ts';
import { headerSecrets } from '#lib/platform/secrets/header-secrets.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import { statusName } from '#lib/platform/status.ts';
import { VERSION } from '#lib/platform/version.ts';

const TEXT = { encoding: 'utf8' } as const;

/** Loaded with the first probe: a service without such checks does without it. */
const client = () => import('ws');
type WebSocketClass = Awaited<ReturnType<typeof client>>['WebSocket'];

/** So much is read in all, and so many messages, until one is there that fits. */
const MOST_BYTES = 1024 * 1024;
const MOST_MESSAGES = 1_000;

const Url = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const wrong = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.parse(text);
    if (!url || !/^wss?:\/\//i.test(text)) wrong('must be an absolute ws or wss URL, such as wss://example.com/live');
    else if (url.username || url.password)
      wrong('must not hold user:password@; send an authorization header in config.headers');
    else if (url.hash) wrong('must not hold a fragment, which no server is sent');
    else if (url.port === '0') wrong('must not name port 0, which cannot be connected to');
  });

const Config = z.strictObject({
  url: Url.describe('Full ws or wss URL, without user:password@.'),
  headers: HeaderMap.describe('Headers to send, at most 20; a read-only key sees them as ********.').optional(),
  subprotocol: z
    .string()
    .max(200)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a protocol: letters, digits and hyphens')
    .describe('The protocol that the server must speak within it, such as mqtt or graphql-transport-ws.')
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid; default true. Turn it off for self-signed ones only.')
    .optional(),
  send: z
    .string()
    .min(1)
    .max(4096)
    .describe('A message to send, as text; a read-only key sees it as ********.')
    .optional(),
  expect: z.string().min(1).max(4096).describe('Text that one of the messages must hold, to the letter.').optional(),
  matches: Matches.describe('RE2 expression that must be found in one of the messages.').optional(),
});
type Config = z.output<typeof Config>;

/** A WebSocket that comes about, and a message that fits if one is wanted (RFC 6455). */
export const websocket = defineCheck({
  type: 'websocket',
  mode: 'pull',
  title: 'WebSocket',
  about:
    'Opens a WebSocket. It succeeds when the server agrees to it, with the subprotocol if one is wanted, and sends a message that fits if one is expected. Up to 64 KB of a message and 1 MB of all are read.',
  config: Config,
  sources: ['latency_ms'],
  secrets: ['config.headers', 'config.send'],
  urls: ['config.url'],
  contradictions: ({ config: { expect, matches } }) =>
    expect !== undefined && matches !== undefined
      ? [{ path: 'config.matches', message: 'cannot be beside expect: a message has to fit one of them' }]
      : [],
  expressions: ({ config: { matches } }) => (matches === undefined ? [] : [{ path: 'config.matches', text: matches }]),
  hosts: ({ config }) => {
    const { host, port } = addressOf(config);
    return [{ path: 'config.url', host, port }];
  },
  targetLabel: ({ config }) => {
    const { origin, pathname } = new URL(config.url);
    return `${origin}${pathname}`;
  },
  probe: ({ config }, { net, settings, timeout_ms, shows = false }) =>
    probing(async () => {
      const { WebSocket } = await client();
      const { verify_tls: verify = true } = config;
      const { host, port, isSecure } = addressOf(config);
      const tls = isSecure ? { verify, alpn: ['http/1.1'] } : undefined;
      const request = { host, port, tls, timeout_ms, egress: settings.CHECK_EGRESS };
      const session = new Session(WebSocket, config, await expectationOf(config));
      return judgedTalk(await talkOver(net, request, session), config.assertions, shows);
    }),
  examples: {
    valid: [
      { config: { url: 'wss://shop.example.com/live', send: '{"type":"ping"}', expect: '"pong"' } },
      { config: { url: 'ws://192.168.1.10:8080/' } },
      {
        config: {
          url: 'wss://shop.example.com/graphql?v=2',
          headers: { Authorization: 'Bearer abc' },
          subprotocol: 'graphql-transport-ws',
          verify_tls: false,
        },
      },
    ],
    invalid: [
      { value: { config: {} }, path: 'config.url' },
      { value: { config: { url: 'https://example.com' } }, path: 'config.url' },
      { value: { config: { url: 'example.com' } }, path: 'config.url' },
      { value: { config: { url: 'wss://user:secret@example.com' } }, path: 'config.url' },
      { value: { config: { url: 'wss://example.com/#a' } }, path: 'config.url' },
      { value: { config: { url: 'ws://example.com:0' } }, path: 'config.url' },
      { value: { config: { url: 'ws://example.com', subprotocol: 'a b' } }, path: 'config.subprotocol' },
      { value: { config: { url: 'ws://example.com', headers: { Upgrade: 'h2c' } } }, path: 'config.headers.Upgrade' },
      { value: { config: { url: 'ws://example.com', expect: '' } }, path: 'config.expect' },
      { value: { config: { url: 'ws://example.com', message: 'a' } }, path: 'config.message' },
    ],
  },
});

function addressOf({ url }: Config): { host: string; port: number; isSecure: boolean } {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'wss:';
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isSecure ? 443 : 80), isSecure };
}

async function expectationOf({ expect, matches }: Config): Promise<Expectation | undefined> {
  if (expect !== undefined) return containing(expect, 'utf8');
  return matches === undefined ? undefined : matching(matches, 'utf8');
}

/** One WebSocket, from the upgrade to the message that fits. */
class Session implements Talk {
  interrupted = false;
  readonly #WebSocket: WebSocketClass;
  readonly #config: Config;
  readonly #expected: Expectation | undefined;
  readonly #hide: Redact;
  #last: Buffer | undefined;
  #messages = 0;

  constructor(WebSocket: WebSocketClass, config: Config, expected: Expectation | undefined) {
    this.#WebSocket = WebSocket;
    this.#config = config;
    this.#expected = expected;
    this.#hide = redactorOf([...headerSecrets(config.headers), ...secretsOfSent(config.send ?? '')]);
  }

  whenTimeIsOver(): string {
    return this.#last ? this.#unmet(this.#last) : '';
  }

  over(connection: Connection): Promise<string> {
    const { url, subprotocol = [], headers, send } = this.#config;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    connection.waitFor('the answer to the upgrade');
    const stream = boundedStream(connection.stream, MOST_BYTES, () =>
      resolve('it sends more than 1 MB, and nothing that fits'),
    );
    const socket = new this.#WebSocket(url, subprotocol, {
      createConnection: () => stream as never,
      headers: { 'user-agent': `Fleetwatch/${VERSION}`, ...headers },
      maxPayload: STEP_BYTES,
      perMessageDeflate: false,
      // Whoever sends pings without end has them unanswered.
      autoPong: false,
    });
    socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
      resolve(`the server answered ${statusName(statusCode)} instead of 101: there is no websocket at this path`),
    );
    socket.on('error', (error: Error & { code?: string }) => {
      const problem = this.#problemOf(error);
      if (problem === undefined) reject(exchangeError(error, connection.where, false));
      else resolve(problem);
    });
    socket.on('open', () => {
      if (send !== undefined) socket.send(send);
      if (this.#expected) connection.waitFor('a message');
      else finish();
    });
    socket.on('message', (said: Buffer) => {
      this.#last = said;
      this.#messages++;
      if (!this.#expected || this.#expected.find(said, 0) >= 0) finish();
      else if (this.#messages === MOST_MESSAGES) resolve(this.#unmet(said));
    });
    socket.on('close', (code, reason) => {
      this.interrupted = true;
      const why = reason.length > 0 ? `, ${quoted(reason, this.#hide, TEXT)}` : '';
      resolve(
        `it closed the connection (${code}${why}) after ${this.#messages} ${this.#messages === 1 ? 'message' : 'messages'}`,
      );
    });
    const finish = () => {
      resolve('');
      socket.close(1000);
    };
    return promise;
  }

  #unmet(said: Buffer): string {
    return `expected a message ${this.#expected!.wanted}, got ${quoted(said, this.#hide, TEXT)} (${bytesOf(said.length)})`;
  }

  /** What the server did wrong; undefined where it is a failure of the connection. */
  #problemOf({ message, code = '' }: Error & { code?: string }): string | undefined {
    if (/Sec-WebSocket-Accept|Invalid Upgrade/.test(message)) {
      return `its answer to the upgrade is wrong (${message}): what answers is no websocket server, or something stands before it`;
    }
    if (/subprotocol/i.test(message))
      return `it does not speak the subprotocol ${this.#config.subprotocol} (${message})`;
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'it sent a message of more than 64 KB';
    if (code.startsWith('WS_ERR_') || /^Invalid /.test(message)) return `what it sent is not valid: ${message}`;
    return undefined;
  }
}
