import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** How long the rest of a line is waited for (ms), where nothing says that there is one. */
const REST_OF_LINE_MS = 100;

const NEWLINE = 0x0a;

/**
 * What a peer has said and nobody has used up yet. A stream is read only while somebody waits for more: whatever a peer
 * sends, no more of it is held than what is looked at and what the stream itself buffers.
 */
export class Inbox {
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
