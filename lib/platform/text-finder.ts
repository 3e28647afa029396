/** Searches a stream of pieces in linear time (Knuth, Morris, Pratt), unlike `includes` in the worst case. */
export class TextFinder {
  readonly text: string;
  /** For each prefix of the text: length of its longest proper suffix that is also a prefix. */
  readonly #borders: Uint16Array;
  #matched = 0;

  /** @param text at most 65,535 characters */
  constructor(text: string) {
    this.text = text;
    this.#borders = new Uint16Array(text.length);
    for (let i = 1, matched = 0; i < text.length; i++) {
      matched = this.#next(matched, text.charCodeAt(i));
      this.#borders[i] = matched;
    }
  }

  get isFound(): boolean {
    return this.#matched === this.text.length;
  }

  /** Takes the next piece. @returns whether the text has been found so far */
  take(piece: string): boolean {
    const { text } = this;
    let matched = this.#matched;
    for (let i = 0; i < piece.length && matched < text.length; i++) {
      if (matched === 0) {
        i = piece.indexOf(text[0]!, i);
        if (i < 0) break;
      }
      matched = this.#next(matched, piece.charCodeAt(i));
    }
    this.#matched = matched;
    return this.isFound;
  }

  #next(matched: number, character: number): number {
    let next = matched;
    while (next > 0 && this.text.charCodeAt(next) !== character) next = this.#borders[next - 1]!;
    return this.text.charCodeAt(next) === character ? next + 1 : next;
  }
}

/** Number of comparisons (0.1 ms) below which the setup of a TextFinder costs more. */
const MAX_SIMPLE = 128 * 1024;

/** Whether a text contains another; an empty text is always contained. */
export const hasText = (text: string, searched: string): boolean =>
  text.length * searched.length <= MAX_SIMPLE ? text.includes(searched) : new TextFinder(searched).take(text);
