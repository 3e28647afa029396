import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, Net, OpenRequest, TlsOptions } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import type { TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { type Dialog, type DialogResult, runDialog } from './dialog.ts';
import { bytesOf, containing, type Expectation, matching, quoted, STEP_BYTES, secretsOfSent } from './expectation.ts';
import type { Step } from './steps.ts';

const REST_OF_LINE_MS = 100;

const NEWLINE = 0x0a;

/** Received, unconsumed data. Reads the stream only on demand, so that a peer cannot fill the memory. */
class Inbox {
  readonly #stream: Duplex;
  #buffer = Buffer.alloc(0);
  #size = 0;
  #last = NEWLINE;
  #wake: () => void = () => {};
  readonly #woken = () => this.#wake();

  constructor(stream: Duplex) {
    this.#stream = stream;
    for (const event of EVENTS) stream.on(event, this.#woken);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Waits for more data. @returns false if the peer has closed the connection */
  async more(): Promise<boolean> {
    for (;;) {
      const piece: Buffer | null = this.#stream.read();
      if (piece !== null) {
        this.#keep(piece);
        return true;
      }
      if (this.#stream.readableEnded || this.#stream.destroyed) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  consume(count: number): void {
    if (count > 0) this.#last = this.#buffer[count - 1]!;
    this.#buffer.copy(this.#buffer, 0, count, this.#size);
    this.#size -= count;
  }

  /** Waits for the end of a partly consumed line, which can arrive in two pieces. */
  async restOfLine(): Promise<void> {
    const isLineUnfinished = () => (this.#size > 0 ? this.bytes.at(-1) : this.#last) !== NEWLINE;
    const controller = new AbortController();
    const timeout = pause(REST_OF_LINE_MS, false, { signal: controller.signal }).catch(() => false);
    while (isLineUnfinished() && (await Promise.race([this.more(), timeout])));
    controller.abort();
  }

  detach(): void {
    for (const event of EVENTS) this.#stream.off(event, this.#woken);
    while (this.#stream.read() !== null);
  }

  #keep(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#size);
    this.#size = size;
  }
}

const EVENTS = ['readable', 'end', 'close'] as const;

/** One action. `send`: one byte per character. `starttls`: starts TLS. */
export type Action = { send: string } | { expect: Expectation } | { starttls: true };

type ConversationResult = DialogResult & { transcript: string[] };

type ConversationOptions = {
  tls: TlsOptions;
  /** Protocol to name in messages, such as `smtp`, if the protocol and not the user defines the steps. */
  protocol?: string | undefined;
  redact?: Redact;
};

/** Performs actions on a connection. Each expectation searches after the previous match. Throws `NetError`. */
export async function converse(
  net: Net,
  request: OpenRequest,
  actions: Action[],
  options: ConversationOptions,
): Promise<ConversationResult> {
  const dialog = new StepByStep(actions, options);
  return { ...(await runDialog(net, request, dialog)), transcript: dialog.transcript };
}

class StepByStep implements Dialog {
  readonly transcript: string[] = [];
  interrupted = false;
  readonly #actions: Action[];
  readonly #tls: TlsOptions;
  readonly #protocol: string;
  readonly #redact: Redact;
  #step = 0;
  /** Whether the last match is known to have ended at the end of a response. */
  #isWhole = true;
  #inbox: Inbox | undefined;

  constructor(actions: Action[], { tls, protocol, redact = (text) => text }: ConversationOptions) {
    this.#actions = actions;
    this.#tls = tls;
    this.#protocol = protocol === undefined ? '' : `${protocol} `;
    this.#redact = redact;
  }

  onTimeout(): string {
    const action = this.#actions[this.#step];
    const isAnswered = this.#inbox !== undefined && this.#inbox.bytes.length > 0;
    return isAnswered && action && 'expect' in action ? this.#unmet(action.expect, this.#inbox!) : '';
  }

  async run(connection: Connection): Promise<string> {
    for (const [i, action] of this.#actions.entries()) {
      this.#step = i;
      const problem = await this.#take(action, connection);
      if (problem) return problem;
    }
    return '';
  }

  get #stepName(): string {
    return `${this.#protocol}step ${this.#step + 1}`;
  }

  async #take(action: Action, connection: Connection): Promise<string> {
    this.#inbox ??= new Inbox(connection.stream);
    if ('send' in action) {
      const isSent = await writeTo(connection.stream, Buffer.from(action.send, 'latin1'));
      return isSent ? '' : this.#closed(this.#inbox);
    }
    if ('expect' in action) {
      connection.setAwaited(`the answer of ${this.#stepName}`);
      return this.#awaitExpected(action.expect, this.#inbox);
    }
    if (!this.#isWhole) await this.#inbox.restOfLine();
    this.#inbox.detach();
    this.#inbox = undefined;
    await connection.secure(this.#tls);
    return '';
  }

  async #awaitExpected(expectation: Expectation, inbox: Inbox): Promise<string> {
    for (let searched = 0; ; ) {
      const received = inbox.bytes.subarray(0, expectation.maxBytes);
      const startedAt = performance.now();
      const end = await expectation.find(received, searched);
      const took = performance.now() - startedAt;
      if (end >= 0) {
        this.transcript.push(quoted(received.subarray(0, end), this.#redact, { maxLength: MAX_TRANSCRIPT }));
        inbox.consume(end);
        this.#isWhole = expectation.isOver !== undefined;
        return '';
      }
      searched = received.length;
      if (searched === expectation.maxBytes || expectation.isOver?.(received)) return this.#unmet(expectation, inbox);
      // A peer that sends byte by byte causes many searches; they get at most a tenth of the time.
      if (took > 1) await pause(9 * took);
      if (!(await inbox.more())) return this.#closed(inbox);
    }
  }

  #unmet({ condition, maxBytes }: Expectation, inbox: Inbox): string {
    const received = inbox.bytes.subarray(0, maxBytes);
    this.transcript.push(quoted(received, this.#redact, { maxLength: MAX_TRANSCRIPT }));
    return `${this.#stepName}: expected the answer ${condition}, got ${quoted(received, this.#redact)} (${bytesOf(received.length)})`;
  }

  async #closed(inbox: Inbox): Promise<string> {
    this.interrupted = true;
    while (inbox.bytes.length < STEP_BYTES && (await inbox.more()));
    const { bytes } = inbox;
    const what = bytes.length === 0 ? '' : `: ${quoted(bytes, this.#redact)}`;
    return `it closed the connection at ${this.#stepName} after ${bytesOf(bytes.length)}${what}`;
  }
}

const MAX_TRANSCRIPT = 500;

/** @returns whether the data was sent; false if the peer has closed the connection */
const writeTo = (stream: Duplex, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    stream.write(bytes, (error) => resolve(!error));
  });

export const actionsOf = (steps: readonly Step[], cpu: TenantCpu): Action[] =>
  steps.map(({ send, expect, matches }): Action => {
    if (send !== undefined) return { send };
    if (expect !== undefined) return { expect: containing(expect, 'latin1') };
    return matches === undefined ? { starttls: true } : { expect: matching(matches, 'latin1', cpu) };
  });

/** Returns possible secrets in sent data that a peer could repeat. */
export const secretsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ send }) => (send === undefined ? [] : secretsOfSent(send)));
