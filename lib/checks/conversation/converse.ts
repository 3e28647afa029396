import type { Duplex } from 'node:stream';
import { setImmediate as othersTurn, setTimeout as pause } from 'node:timers/promises';
import type { Connection, Net, OpenRequest, TlsWanted } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { bytesOf, containing, type Expectation, matching, quoted, STEP_BYTES, secretsOfSent } from './expectation.ts';
import { type Talk, type Talked, talkOver } from './run-conversation.ts';
import type { Step } from './steps.ts';

/** How long the rest of a line is waited for (ms), where nothing says that there is one. */
const REST_OF_LINE_MS = 100;

const NEWLINE = 0x0a;

/**
 * What a peer has said and nobody has used up yet. A stream is read only while somebody waits for more: whatever a peer
 * sends, no more of it is held than what is looked at and what the stream itself buffers.
 */
class Inbox {
  readonly #stream: Duplex;
  #buffer = Buffer.alloc(0);
  #size = 0;
  /** The last byte that was used up. */
  #last = NEWLINE;
  #wake: () => void = () => {};
  readonly #woken = () => this.#wake();

  constructor(stream: Duplex) {
    this.#stream = stream;
    for (const event of EVENTS) stream.on(event, this.#woken);
  }

  /** What has come and was not used up. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Waits until more has come. @returns false when the peer has closed the connection and nothing more will */
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

  /** Takes the first bytes away. */
  useUp(count: number): void {
    if (count > 0) this.#last = this.#buffer[count - 1]!;
    this.#buffer.copy(this.#buffer, 0, count, this.#size);
    this.#size -= count;
  }

  /** Waits for the end of a line that was used up in part: it may come in two pieces. */
  async restOfLine(): Promise<void> {
    const isOpen = () => (this.#size > 0 ? this.bytes.at(-1) : this.#last) !== NEWLINE;
    const late = new AbortController();
    const given = pause(REST_OF_LINE_MS, false, { signal: late.signal }).catch(() => false);
    while (isOpen() && (await Promise.race([this.more(), given])));
    late.abort();
  }

  /** Listens no more; what has come is gone. */
  leave(): void {
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

/** With each of these there may be something to read, or nothing ever again. */
const EVENTS = ['readable', 'end', 'close'] as const;

/** One thing to do. `send`: each character is a byte. `starttls`: from here on TLS is spoken. */
export type Action = { send: string } | { expect: Expectation } | { starttls: true };

/** What came of a conversation; `transcript` is what the peer said at each expectation, quoted. */
type Conversation = Talked & { transcript: string[] };

type Manner = {
  /** For `starttls`. */
  tls: TlsWanted;
  /** Whose steps these are, where they are not people's own: `smtp`. */
  whose?: string | undefined;
  /** Takes secrets out of what a message quotes. */
  hide?: Redact;
};

/**
 * Opens a connection and does one thing after the other on it. What a peer says is one text, however it comes in
 * pieces: each expectation looks behind what the one before has found. Throws `NetError` as `Net.open` does.
 */
export async function converse(
  net: Net,
  request: OpenRequest,
  actions: Action[],
  manner: Manner,
): Promise<Conversation> {
  const talk = new StepByStep(actions, manner);
  return { ...(await talkOver(net, request, talk)), transcript: talk.transcript };
}

/** One conversation, as far as it has come. */
class StepByStep implements Talk {
  readonly transcript: string[] = [];
  interrupted = false;
  readonly #actions: Action[];
  readonly #tls: TlsWanted;
  readonly #whose: string;
  readonly #hide: Redact;
  #step = 0;
  /** Whether the last answer was used up to its end. */
  #isWhole = true;
  #inbox: Inbox | undefined;

  constructor(actions: Action[], { tls, whose, hide = (text) => text }: Manner) {
    this.#actions = actions;
    this.#tls = tls;
    this.#whose = whose === undefined ? '' : `${whose} `;
    this.#hide = hide;
  }

  whenTimeIsOver(): string {
    const action = this.#actions[this.#step];
    const isAnswered = this.#inbox !== undefined && this.#inbox.bytes.length > 0;
    return isAnswered && action && 'expect' in action ? this.#unmet(action.expect, this.#inbox!) : '';
  }

  async over(connection: Connection): Promise<string> {
    for (const [i, action] of this.#actions.entries()) {
      this.#step = i;
      const problem = await this.#take(action, connection);
      if (problem) return problem;
    }
    return '';
  }

  get #place(): string {
    return `${this.#whose}step ${this.#step + 1}`;
  }

  async #take(action: Action, connection: Connection): Promise<string> {
    this.#inbox ??= new Inbox(connection.stream);
    if ('send' in action) {
      const isSent = await sent(connection.stream, Buffer.from(action.send, 'latin1'));
      return isSent ? '' : this.#closed(this.#inbox);
    }
    if ('expect' in action) {
      connection.waitFor(`the answer of ${this.#place}`);
      return this.#hear(action.expect, this.#inbox);
    }
    if (!this.#isWhole) await this.#inbox.restOfLine();
    this.#inbox.leave();
    this.#inbox = undefined;
    await connection.secure(this.#tls);
    return '';
  }

  async #hear(expectation: Expectation, inbox: Inbox): Promise<string> {
    for (let looked = 0; ; ) {
      const said = inbox.bytes.subarray(0, expectation.most);
      const began = performance.now();
      const end = expectation.find(said, looked);
      const took = performance.now() - began;
      if (end >= 0) {
        // The next step may look at the same answer for as long.
        if (took > 1) await othersTurn();
        this.transcript.push(quoted(said.subarray(0, end), this.#hide, { most: SHOWN }));
        inbox.useUp(end);
        this.#isWhole = expectation.isOver !== undefined;
        return '';
      }
      looked = said.length;
      if (looked === expectation.most || expectation.isOver?.(said)) return this.#unmet(expectation, inbox);
      // Whoever sends byte by byte has us look often: a tenth of the time at most goes into it.
      if (took > 1) await pause(9 * took);
      if (!(await inbox.more())) return this.#closed(inbox);
    }
  }

  #unmet({ wanted, most }: Expectation, inbox: Inbox): string {
    const said = inbox.bytes.subarray(0, most);
    this.transcript.push(quoted(said, this.#hide, { most: SHOWN }));
    return `${this.#place}: expected the answer ${wanted}, got ${quoted(said, this.#hide)} (${bytesOf(said.length)})`;
  }

  async #closed(inbox: Inbox): Promise<string> {
    this.interrupted = true;
    while (inbox.bytes.length < STEP_BYTES && (await inbox.more()));
    const { bytes } = inbox;
    const what = bytes.length === 0 ? '' : `: ${quoted(bytes, this.#hide)}`;
    return `it closed the connection at ${this.#place} after ${bytesOf(bytes.length)}${what}`;
  }
}

/** Characters of an answer in a transcript. */
const SHOWN = 500;

/** @returns whether it went out; not when the peer has closed */
const sent = (stream: Duplex, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    stream.write(bytes, (error) => resolve(!error));
  });

/** Steps that were accepted, with their expressions compiled. */
export const actionsOf = (steps: readonly Step[]): Promise<Action[]> =>
  Promise.all(
    steps.map(async ({ send, expect, matches }): Promise<Action> => {
      if (send !== undefined) return { send };
      if (expect !== undefined) return { expect: containing(expect, 'latin1') };
      return matches === undefined ? { starttls: true } : { expect: await matching(matches, 'latin1') };
    }),
  );

/** What a peer may repeat and others should not read. */
export const secretsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ send }) => (send === undefined ? [] : secretsOfSent(send)));
