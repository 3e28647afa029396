/**
 * Looks for a text in another that comes in pieces. It takes time in proportion to what it is given (Knuth, Morris and
 * Pratt), where `includes` takes as long as the product of both if they were made for that.
 */
export class TextFinder {
  readonly text: string;
  /** Of each beginning of the text: how much of its end is a beginning of the text too. */
  readonly #again: Uint16Array;
  #matched = 0;

  /** @param text of at most 65,535 characters */
  constructor(text: string) {
    this.text = text;
    this.#again = new Uint16Array(text.length);
    for (let i = 1, matched = 0; i < text.length; i++) {
      matched = this.#next(matched, text.charCodeAt(i));
      this.#again[i] = matched;
    }
  }

  get isFound(): boolean {
    return this.#matched === this.text.length;
  }

  /** Takes the next piece. @returns whether the text has been found by now */
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

  /** How much of the text stands at the end of what was taken, with one more character. */
  #next(matched: number, character: number): number {
    let next = matched;
    while (next > 0 && this.text.charCodeAt(next) !== character) next = this.#again[next - 1]!;
    return this.text.charCodeAt(next) === character ? next + 1 : next;
  }
}

/** So many comparisons of characters (a tenth of a ms) take less time than it takes to prepare for the worst. */
const FEW = 128 * 1024;

/** Whether a text is in another; an empty one always is. */
export const hasText = (text: string, wanted: string): boolean =>
  text.length * wanted.length <= FEW ? text.includes(wanted) : new TextFinder(wanted).take(text);
