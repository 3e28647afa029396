/** Prints the measurements of a long run and counts its failed requirements. */
export class Evidence {
  readonly #broken: string[] = [];
  #held = 0;

  print(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  heading(text: string): void {
    this.print(`\n${text}`);
  }

  /** Prints the distribution of numbers. @returns the greatest */
  spread(what: string, numbers: number[]): number {
    const sorted = numbers.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    this.print(`${what}: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} (of ${sorted.length})`);
    return at(1) ?? 0;
  }

  /** Records a requirement. @param fact a sentence that is true if it holds */
  demand(holds: boolean, fact: string): void {
    if (holds) this.#held++;
    else this.#broken.push(fact);
    this.print(`  ${holds ? 'holds' : 'BROKEN'}: ${fact}`);
  }

  /** Prints the closing line. @returns the exit code */
  conclude(): number {
    this.print(`\n${this.#held} passed, ${this.#broken.length} failed`);
    return this.#broken.length === 0 ? 0 : 1;
  }
}
