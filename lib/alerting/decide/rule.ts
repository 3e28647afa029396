import type { DecidedKind, RuleInput } from './rule-input.ts';
import type { RuleFacts } from './transition.ts';

/**
 * Result of a rule. `stops`: stops the alert. `facts`: values read. `until`: end of the stop (epoch ms), when a late
 * alert may follow. `holds`: the stopped alert is held and rechecked at the deadline `hold`; else skipped.
 */
type RuleResult<Holds> = { stops: boolean; facts: RuleFacts; until?: number; holds?: Holds };

type Rule<Name, Holds> = {
  name: Name;
  kinds: readonly DecidedKind[];
  evaluate(input: RuleInput): RuleResult<Holds>;
};

/** A rule for alerts without a transition, such as reminders. Pure. Accepts every input of its kinds. */
export type TimedRule<Name extends string = string> = Rule<Name, never> & {
  kinds: readonly Exclude<DecidedKind, 'state_change'>[];
};

/** A rule for changes of state, named in transitions as the reason. Pure; accepts every input of its kinds. */
export type ReasonRule<Name extends string = string, Holds = never> = Rule<Name, Holds> & {
  kinds: readonly ['state_change', ...DecidedKind[]];
  /** Name of the rule in lists. */
  label: string;
  /** A clause that follows the name or the label and a colon. */
  meaning: string;
  /** Advice in full sentences; empty if nothing needs to be done. */
  remedy: string;
  /** Reason that no alert was sent; follows a colon. */
  sentence(facts: RuleFacts): string;
  /** Text about the values that the rule read, with times in ISO 8601 and ids unchanged. */
  found(facts: RuleFacts): string;
};

/** A rule that can hold an alert; lib/alerting/deadlines decides the end of the hold. */
export type HoldingRule<Name extends string = string> = ReasonRule<Name, boolean> & { may_hold: true };
