import type { Judgement, Totals } from './judge.ts';

/** One case: the first starts, a round, the end, or where it was broken off. */
export type Verdict = { name: string; wrong: string[]; totals: Totals };

const SHOWN = 8;

/** The cases that were judged so far, each told as it comes. */
export class Verdicts {
  readonly all: Verdict[] = [];
  readonly #known = new Set<string>();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /**
   * What broke once is found again by each later look: it counts where it was found first.
   * @param how it went, in words
   */
  conclude(name: string, judgement: Judgement, how: string): void {
    const { totals } = judgement;
    const wrong = judgement.wrong.filter((text) => !this.#known.has(text));
    for (const text of wrong) this.#known.add(text);
    const news = newsOf(totals, this.all.at(-1)?.totals ?? {});
    this.#say(`${name}: ${how}${wrong.length === 0 ? '' : `; BROKEN ${wrong.length}`}`);
    if (news !== '') this.#say(`   ${news}`);
    for (const text of wrong.slice(0, SHOWN)) this.#say(`   BROKEN: ${text}`);
    this.all.push({ name, wrong, totals });
  }
}

/** The totals, with how much each has moved. */
const newsOf = (totals: Totals, before: Totals): string =>
  Object.entries(totals)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${name.replaceAll('_', ' ')} ${total} (${signed(total - (before[name] ?? 0))})`)
    .join(', ');

const signed = (n: number): string => (n < 0 ? `${n}` : `+${n}`);
