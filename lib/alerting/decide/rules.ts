import { dependency, maintenance, remediation } from './hold-rules.ts';
import { cooldown, flapping, silenced } from './quiet-rules.ts';
import type { Rule, RuleName } from './rule.ts';
import type { Situation } from './situation.ts';
import {
  acknowledged,
  catchUpOff,
  configuration,
  degradedOff,
  initial,
  noChannels,
  notTold,
  notWatched,
  recoveryOff,
  repeats,
  toldAlready,
} from './state-rules.ts';
import type { RuleFacts } from './transition.ts';

/**
 * All rules of alerting, in the order in which they are asked (docs/use/alerts.md#decisions): the first that stops an
 * alert is its reason. What is explained runs this very list.
 */
export const RULES: readonly Rule[] = [
  configuration,
  ...repeats,
  catchUpOff,
  notWatched,
  notTold,
  acknowledged,
  silenced,
  initial,
  degradedOff,
  toldAlready,
  recoveryOff,
  flapping,
  cooldown,
  dependency,
  maintenance,
  remediation,
  noChannels,
];

/** What came of a rule; `not_reached` when one before it had stopped the alert. */
type RuleOutcome = { rule: RuleName; outcome: 'pass' | 'stop' | 'not_reached'; facts: RuleFacts };

export type Decided = {
  decision: 'planned' | 'held' | 'skipped';
  /** The rule that stopped it; null when none did. */
  reason: RuleName | null;
  /** What that rule looked at; empty when none stopped it. */
  facts: RuleFacts;
  /** Epoch ms: when that rule stops no more by itself. */
  until?: number;
  /** Every rule of its kind, in order. */
  rules: RuleOutcome[];
};

/** Pure: runs the rules of its kind in their order; the first that stops the alert decides. */
export function decide(situation: Situation, list: readonly Rule[] = RULES): Decided {
  const decided: Decided = { decision: 'planned', reason: null, facts: {}, rules: [] };
  for (const rule of list.filter(({ kinds }) => kinds.includes(situation.kind))) {
    if (decided.reason !== null) {
      decided.rules.push({ rule: rule.name, outcome: 'not_reached', facts: {} });
      continue;
    }
    const { stops, facts, until, holds } = rule.judge(situation);
    decided.rules.push({ rule: rule.name, outcome: stops ? 'stop' : 'pass', facts });
    if (!stops) continue;
    decided.decision = holds ? 'held' : 'skipped';
    decided.reason = rule.name;
    decided.facts = facts;
    if (until !== undefined) decided.until = until;
  }
  return decided;
}
