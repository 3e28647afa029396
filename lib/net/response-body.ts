import { TextFinder } from '#lib/platform/text-finder.ts';

/**
 * Part of a body to read: at most `limit` bytes, to keep or search for the texts of `find`, and the first `excerpt`
 * bytes to show. `readsOn`: read past the limit to see if more follows. `isExcerptOnly`: only the excerpt is needed.
 */
export type BodyOptions = {
  limit: number;
  readsOn?: boolean;
  find?: readonly string[];
  excerpt?: number;
  isExcerptOnly?: boolean;
};

/** Bytes kept while searching a text. */
export const WINDOW_BYTES = 16 * 1024;
/** Size (bytes) up to which a body is small; a larger one waits for memory. */
export const MAX_SMALL_BYTES = 64 * 1024;
/** Number of pieces that may have any size; with more of them, the average must be at least `MEAN_PIECE_BYTES`. */
export const FREE_PIECES = 1000;
export const MEAN_PIECE_BYTES = 64;

/**
 * Collects a response body in one buffer: memory does not depend on the size of the pieces. A body that is searched is
 * not kept: only one window of it is in memory, so that many large bodies need no more memory than small ones.
 */
export class ResponseBody {
  /** Bytes received so far, at most the limit. */
  size = 0;
  pieces = 0;
  /** Whether more followed the limit; only known with `readsOn`. */
  goesOn = false;
  readonly #options: BodyOptions;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #capacity: number;
  #buffer = Buffer.alloc(0);
  #used = 0;
  readonly #finders: readonly TextFinder[] | undefined;
  #excerpt: Buffer | undefined;
  readonly #contentType: string | undefined;

  /** @param contentType gives the charset; default utf-8, also for an unknown one */
  constructor(options: BodyOptions, contentType: string | undefined) {
    this.#options = options;
    this.#contentType = contentType;
    this.#finders = options.find?.map((text) => new TextFinder(text));
    this.#capacity = options.find === undefined ? options.limit : Math.min(options.limit, WINDOW_BYTES);
    this.#decoder = decoderFor(contentType);
  }

  get heldBytes(): number {
    return this.#buffer.length;
  }

  get isSearched(): boolean {
    return this.#finders !== undefined;
  }

  get isKept(): boolean {
    return this.#finders === undefined && !this.#options.isExcerptOnly;
  }

  get isLarge(): boolean {
    return this.isKept && this.size > MAX_SMALL_BYTES;
  }

  get found(): string[] {
    return (this.#finders ?? []).filter(({ isFound }) => isFound).map(({ text }) => text);
  }

  /** Beginning of the body, without a partial last character; undefined if not requested. */
  get excerpt(): string | undefined {
    const { excerpt } = this.#options;
    if (excerpt === undefined) return undefined;
    const isWhole = this.size <= excerpt;
    const begin = this.#excerpt?.subarray(0, Math.min(this.size, excerpt));
    return decoderFor(this.#contentType).decode(begin, { stream: !isWhole });
  }

  /** Whether the pieces are so small that each costs more than its content. */
  get hasTinyPieces(): boolean {
    return this.pieces > FREE_PIECES && this.size < this.pieces * MEAN_PIECE_BYTES;
  }

  /** Takes a piece. @returns whether the body is finished: limit reached or all texts found */
  take(piece: Buffer): boolean {
    this.pieces++;
    this.#keepExcerpt(piece);
    if (this.#options.isExcerptOnly) this.size = Math.min(this.#options.limit, this.size + piece.length);
    let from = this.#options.isExcerptOnly ? piece.length : 0;
    while (from < piece.length && this.size < this.#options.limit && !this.#hasAll) {
      const count = Math.min(piece.length - from, this.#capacity - this.#used, this.#options.limit - this.size);
      this.#grow(this.#used + count);
      piece.copy(this.#buffer, this.#used, from, from + count);
      this.#used += count;
      this.size += count;
      from += count;
      if (this.#options.find !== undefined && this.#used === this.#capacity) this.#search(true);
    }
    this.goesOn ||= from < piece.length && this.size >= this.#options.limit;
    return this.#hasAll || (this.size >= this.#options.limit && (this.goesOn || !this.#options.readsOn));
  }

  get #hasAll(): boolean {
    return this.#finders?.every(({ isFound }) => isFound) ?? false;
  }

  /** Ends the body; call it once. @returns the kept text, without a partial last character; '' for a search */
  end(): string {
    const isWhole = this.size < this.#options.limit || (this.#options.readsOn === true && !this.goesOn);
    if (this.#options.find === undefined) return this.#decode(!isWhole);
    this.#search(!isWhole);
    return '';
  }

  #keepExcerpt(piece: Buffer): void {
    const { excerpt = 0 } = this.#options;
    if (this.size >= excerpt) return;
    this.#excerpt ??= Buffer.alloc(excerpt);
    piece.copy(this.#excerpt, this.size, 0, excerpt - this.size);
  }

  #grow(size: number): void {
    if (size <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#capacity, Math.max(size, 2 * this.#buffer.length)));
    this.#buffer.copy(grown, 0, 0, this.#used);
    this.#buffer = grown;
  }

  #search(isPartial: boolean): void {
    const text = this.#decode(isPartial);
    for (const finder of this.#finders ?? []) finder.take(text);
    this.#used = 0;
  }

  #decode(isPartial: boolean): string {
    return this.#decoder.decode(this.#buffer.subarray(0, this.#used), { stream: isPartial });
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
