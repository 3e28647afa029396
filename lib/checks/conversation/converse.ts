import type { Duplex } from 'node:stream';
import { setImmediate as othersTurn, setTimeout as pause } from 'node:timers/promises';
import type { Connection, Net, OpenRequest, TlsWanted } from '#lib/net/net.ts';
import type { Redact } from '#lib/platform/secrets/redact-secrets.ts';
import { type Expectation, STEP_BYTES } from './expectation.ts';
import { Inbox } from './inbox.ts';
import { bytesOf, quoted } from './quoted.ts';
import { type Talk, type Talked, talkOver } from './talk-over.ts';

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
