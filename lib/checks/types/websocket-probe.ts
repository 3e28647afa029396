import { WebSocket } from 'ws';
import { type Dialog, outcomeOfDialog, runDialog } from '#lib/checks/conversation/dialog.ts';
import {
  bytesOf,
  containing,
  type Expectation,
  matching,
  quoted,
  STEP_BYTES,
  secretsOfSent,
} from '#lib/checks/conversation/expectation.ts';
import { outcomeOfProbe } from '#lib/checks/outcome.ts';
import { boundedStream } from '#lib/net/bounded-stream.ts';
import { statusName } from '#lib/net/http-status.ts';
import type { Connection } from '#lib/net/net.ts';
import { exchangeError } from '#lib/net/net-errors.ts';
import { headerSecrets } from '#lib/platform/secrets/header-secrets.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { VERSION } from '#lib/platform/version.ts';
import type { ProbeInput, SettingsWith } from './check-type.ts';
import { webSocketAddress } from './host-setting.ts';
import type { WebsocketConfig as Config } from './websocket.ts';

const TEXT = { encoding: 'utf8' } as const;

const MAX_BYTES = 1024 * 1024;
const MAX_MESSAGES = 1_000;

/** Opens a WebSocket and waits for a matching message, if one is expected. */
export const probeWebsocket = (
  { config }: SettingsWith<Config>,
  { net, settings, timeout_ms, cpu, withDetails = false }: ProbeInput,
) =>
  outcomeOfProbe(async () => {
    const { verify_tls: verify = true } = config;
    const { host, port, isSecure } = webSocketAddress(config.url);
    const tls = isSecure ? { verify, alpn: ['http/1.1'] } : undefined;
    const request = { host, port, tls, timeout_ms, egress: settings.CHECK_EGRESS };
    const dialog = await runDialog(net, request, new Session(config, expectationOf(config, cpu)));
    return outcomeOfDialog(dialog, config.assertions, { cpu, withDetails });
  });

function expectationOf({ expect, matches }: Config, cpu: TenantCpu): Expectation | undefined {
  if (expect !== undefined) return containing(expect, 'utf8');
  return matches === undefined ? undefined : matching(matches, 'utf8', cpu);
}

class Session implements Dialog {
  interrupted = false;
  readonly #config: Config;
  readonly #expected: Expectation | undefined;
  readonly #redact: Redact;
  #last: Buffer | undefined;
  #messages = 0;

  constructor(config: Config, expected: Expectation | undefined) {
    this.#config = config;
    this.#expected = expected;
    this.#redact = redactorOf([...headerSecrets(config.headers), ...secretsOfSent(config.send ?? '')]);
  }

  onTimeout(): string {
    return this.#last ? this.#unmet(this.#last) : '';
  }

  run(connection: Connection): Promise<string> {
    const { url, subprotocol = [], headers, send } = this.#config;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    connection.setAwaited('the upgrade response');
    const stream = boundedStream(connection.stream, MAX_BYTES, () => resolve('it sent more than 1 MB without a match'));
    const socket = new WebSocket(url, subprotocol, {
      createConnection: () => stream as never,
      headers: { 'user-agent': `Fleetwatch/${VERSION}`, ...headers },
      maxPayload: STEP_BYTES,
      perMessageDeflate: false,
      // A server could otherwise make the probe answer pings without end.
      autoPong: false,
    });
    socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
      resolve(`the server answered ${statusName(statusCode)} instead of 101: it did not open a websocket`),
    );
    socket.on('error', (error: Error & { code?: string }) => {
      const problem = this.#problemOf(error);
      if (problem === undefined) reject(exchangeError(error, connection.where, false));
      else resolve(problem);
    });
    socket.on('open', () => {
      if (send !== undefined) socket.send(send);
      if (this.#expected) connection.setAwaited('a message');
      else finish();
    });
    // One search at a time: a server can send many messages at once.
    let searched: Promise<void> = Promise.resolve();
    const search = async (received: Buffer) => {
      this.#last = received;
      this.#messages++;
      if (!this.#expected || (await this.#expected.find(received, 0)) >= 0) finish();
      else if (this.#messages === MAX_MESSAGES) resolve(this.#unmet(received));
    };
    socket.on('message', (received: Buffer) => {
      socket.pause();
      searched = searched.then(() => search(received)).then(() => socket.resume());
      searched.catch(reject);
    });
    socket.on('close', async (code, reason) => {
      await searched.catch(() => {});
      this.interrupted = true;
      const why = reason.length > 0 ? `, ${quoted(reason, this.#redact, TEXT)}` : '';
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

  #unmet(received: Buffer): string {
    return `expected a message ${this.#expected!.condition}, got ${quoted(received, this.#redact, TEXT)} (${bytesOf(received.length)})`;
  }

  /** Returns the protocol error of the server; undefined if the connection failed. */
  #problemOf({ message, code = '' }: Error & { code?: string }): string | undefined {
    if (/Sec-WebSocket-Accept|Invalid Upgrade/.test(message)) {
      return `its upgrade response is not valid (${message}): it is not a websocket server, or a proxy is in front of it`;
    }
    if (/subprotocol/i.test(message)) {
      const { subprotocol } = this.#config;
      if (subprotocol === undefined) return `it selected a subprotocol although none was requested (${message})`;
      return `it does not support the subprotocol ${subprotocol} (${message})`;
    }
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'it sent a message of more than 64 KB';
    if (code.startsWith('WS_ERR_') || /^Invalid /.test(message)) return `it sent invalid data: ${message}`;
    return undefined;
  }
}
