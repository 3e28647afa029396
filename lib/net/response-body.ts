import { TextFinder } from '#lib/platform/text-finder.ts';

/**
 * What is wanted of a body: at most `limit` bytes of it, to keep, or to look for texts in; and its first `excerpt`
 * bytes to be shown. `readsOn`: it ends behind the limit, so that one knows whether there is more. `isOnlyShown`:
 * nothing else of it is wanted.
 */
export type WantedBody = {
  limit: number;
  readsOn?: boolean;
  find?: readonly string[];
  excerpt?: number;
  isOnlyShown?: boolean;
};

/** Bytes that are held at a time while a text is looked for. */
export const WINDOW_BYTES = 16 * 1024;
/** A body of more is large: it is held only where there is room. */
export const SMALL_BYTES = 64 * 1024;
/** So many pieces may be as small as they are; those of a body of more hold so many bytes on average. */
export const FREE_PIECES = 1000;
export const MEAN_PIECE_BYTES = 64;

/**
 * Takes the body of a response piece by piece, into one buffer: what is held does not depend on how the other side cuts
 * its body. A body in which texts are looked for is not kept: one window of it is in memory at a time, so that many
 * large bodies at once need no more room than small ones.
 */
export class ResponseBody {
  /** Bytes taken so far; never more than the limit. */
  size = 0;
  pieces = 0;
  /** Whether more came behind the limit; known only where that was wanted. */
  goesOn = false;
  readonly #wanted: WantedBody;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #most: number;
  #held = Buffer.alloc(0);
  #used = 0;
  readonly #finders: readonly TextFinder[] | undefined;
  #excerpt: Buffer | undefined;
  readonly #contentType: string | undefined;

  /** @param contentType names the charset; utf-8 where it names none that is known */
  constructor(wanted: WantedBody, contentType: string | undefined) {
    this.#wanted = wanted;
    this.#contentType = contentType;
    this.#finders = wanted.find?.map((text) => new TextFinder(text));
    this.#most = wanted.find === undefined ? wanted.limit : Math.min(wanted.limit, WINDOW_BYTES);
    this.#decoder = decoderFor(contentType);
  }

  /** Bytes held in memory. */
  get held(): number {
    return this.#held.length;
  }

  /** Whether texts were looked for. */
  get isSearched(): boolean {
    return this.#finders !== undefined;
  }

  /** Whether it is in memory, as far as the limit. */
  get isKept(): boolean {
    return this.#finders === undefined && !this.#wanted.isOnlyShown;
  }

  /** Whether more of it is held than anybody may hold without asking. */
  get isLarge(): boolean {
    return this.isKept && this.size > SMALL_BYTES;
  }

  /** The texts that were found. */
  get found(): string[] {
    return (this.#finders ?? []).filter(({ isFound }) => isFound).map(({ text }) => text);
  }

  /** How it begins, cut between two characters; undefined where that was not wanted. */
  get excerpt(): string | undefined {
    const { excerpt } = this.#wanted;
    if (excerpt === undefined) return undefined;
    const isWhole = this.size <= excerpt;
    const begin = this.#excerpt?.subarray(0, Math.min(this.size, excerpt));
    return decoderFor(this.#contentType).decode(begin, { stream: !isWhole });
  }

  /** Whether each piece costs more than what is in it is worth. */
  get isCutSmall(): boolean {
    return this.pieces > FREE_PIECES && this.size < this.pieces * MEAN_PIECE_BYTES;
  }

  /** @returns whether that is all: the limit is reached, or all texts are found */
  take(piece: Buffer): boolean {
    this.pieces++;
    this.#keepExcerpt(piece);
    if (this.#wanted.isOnlyShown) this.size = Math.min(this.#wanted.limit, this.size + piece.length);
    let from = this.#wanted.isOnlyShown ? piece.length : 0;
    while (from < piece.length && this.size < this.#wanted.limit && !this.#hasAll) {
      const count = Math.min(piece.length - from, this.#most - this.#used, this.#wanted.limit - this.size);
      this.#grow(this.#used + count);
      piece.copy(this.#held, this.#used, from, from + count);
      this.#used += count;
      this.size += count;
      from += count;
      if (this.#wanted.find !== undefined && this.#used === this.#most) this.#search(true);
    }
    this.goesOn ||= from < piece.length && this.size >= this.#wanted.limit;
    return this.#hasAll || (this.size >= this.#wanted.limit && (this.goesOn || !this.#wanted.readsOn));
  }

  get #hasAll(): boolean {
    return this.#finders?.every(({ isFound }) => isFound) ?? false;
  }

  /** To be called once, when no more is taken. @returns what was kept, cut between two characters; '' of a search */
  end(): string {
    const isWhole = this.size < this.#wanted.limit || (this.#wanted.readsOn === true && !this.goesOn);
    if (this.#wanted.find === undefined) return this.#decode(!isWhole);
    this.#search(!isWhole);
    return '';
  }

  #keepExcerpt(piece: Buffer): void {
    const { excerpt = 0 } = this.#wanted;
    if (this.size >= excerpt) return;
    this.#excerpt ??= Buffer.alloc(excerpt);
    piece.copy(this.#excerpt, this.size, 0, excerpt - this.size);
  }

  #grow(size: number): void {
    if (size <= this.#held.length) return;
    const held = Buffer.allocUnsafe(Math.min(this.#most, Math.max(size, 2 * this.#held.length)));
    this.#held.copy(held, 0, 0, this.#used);
    this.#held = held;
  }

  #search(mayGoOn: boolean): void {
    const text = this.#decode(mayGoOn);
    for (const finder of this.#finders ?? []) finder.take(text);
    this.#used = 0;
  }

  #decode(mayGoOn: boolean): string {
    return this.#decoder.decode(this.#held.subarray(0, this.#used), { stream: mayGoOn });
  }
}

function decoderFor(contentType = ''): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true });
  }
}
