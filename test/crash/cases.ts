import type { Evaluation, Totals } from './evaluate.ts';

/** One case: the first starts, a round, the end, or an abort. */
export type CaseResult = { name: string; wrong: string[]; totals: Totals };

/** Maximum number of printed violations per case. */
const MAX_SHOWN = 8;

/** The evaluated cases so far, each printed when it ends. */
export class Cases {
  readonly all: CaseResult[] = [];
  readonly #known = new Set<string>();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Records a case and prints it. A violation that a later evaluation finds again is not counted again. */
  conclude(name: string, evaluation: Evaluation, summary: string): void {
    const { totals } = evaluation;
    const wrong = evaluation.wrong.filter((text) => !this.#known.has(text));
    for (const text of wrong) this.#known.add(text);
    const changes = totalsText(totals, this.all.at(-1)?.totals ?? {});
    this.#say(`${name}: ${summary}${wrong.length === 0 ? '' : `; BROKEN ${wrong.length}`}`);
    if (changes !== '') this.#say(`   ${changes}`);
    for (const text of wrong.slice(0, MAX_SHOWN)) this.#say(`   BROKEN: ${text}`);
    this.all.push({ name, wrong, totals });
  }
}

/** Returns the totals as text, each with its change. */
const totalsText = (totals: Totals, before: Totals): string =>
  Object.entries(totals)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${name.replaceAll('_', ' ')} ${total} (${signed(total - (before[name] ?? 0))})`)
    .join(', ');

const signed = (n: number): string => (n < 0 ? `${n}` : `+${n}`);
