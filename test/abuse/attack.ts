import type { Caller } from './client.ts';

/** A requirement, as a sentence that is true if it holds. */
export type Fact = { holds: boolean; fact: string };

export type Surroundings = {
  /** Clients with the key of the attacker's admin, and with that of a member. */
  admin: Caller;
  member: Caller;
  /** Duration of the attack. */
  seconds: number;
  /** Disposes of everything that the attack starts. */
  stack: AsyncDisposableStack;
};

/** An attack that is prepared at the service but does not affect it yet. */
export type Ready = {
  /** Attacks until `until` (epoch ms) and resolves soon after. */
  run(until: number): Promise<void>;
  /** Returns what the attacker observed, a line each, and whether it was limited to its share and informed. */
  conclude(): Promise<{ evidence: string[]; facts: Fact[] }>;
};

/** A kind of attack on other tenants. */
export type Attack = (around: Surroundings) => Promise<Ready>;

/** Address of the attackers' targets, receivers and clients, and its port to which the service sends mail. */
export const HOSTILE = '127.77.0.6';
export const MAIL_PORT = 2525;

/** Counts values: `200: 40, 429: 1960`. */
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
