import type { Caller } from './client.ts';

/** What must be so, as a sentence that is true when it holds. */
export type Fact = { holds: boolean; fact: string };

export type Surroundings = {
  /** The attacker's keys. */
  admin: Caller;
  member: Caller;
  /** How long it attacks. */
  seconds: number;
  /** Whatever is started is handed to it. */
  stack: AsyncDisposableStack;
};

/** An attack that is made ready at the service, where nothing of it hurts yet. */
export type Ready = {
  /** Attacks; resolves soon after `until` (epoch ms). */
  run(until: number): Promise<void>;
  /** What the attacker got to know, a line each, and whether it was cut to its share and told so. */
  judge(): Promise<{ evidence: string[]; facts: Fact[] }>;
};

/** One way to hurt others. */
export type Attack = (around: Surroundings) => Promise<Ready>;

/** Where attackers have their targets and receivers, and call from. */
export const HOSTILE = '127.77.0.6';

/** `200 40, 429 1960`: how often each was seen. */
export class Tally {
  readonly counts = new Map<string, number>();
  add(what: string | number): void {
    this.counts.set(String(what), this.of(what) + 1);
  }
  of(what: string | number): number {
    return this.counts.get(String(what)) ?? 0;
  }
  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
  toString(): string {
    return [...this.counts].map(([what, count]) => `${what}: ${count}`).join(', ') || 'nothing';
  }
}
