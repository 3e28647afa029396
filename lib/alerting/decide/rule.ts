import type { AlertKind, RuleInput } from './rule-input.ts';
import type { RuleFacts } from './transition.ts';

/**
 * Result of a rule. `stops`: this rule is why there is no alert. `facts`: what it looked at, whichever way it came out.
 * `until`: epoch ms at which it stops no more by itself; a late alert then reports what it skipped. `holds`: what it
 * stops is held and decided later, by the deadline `hold`; else it is skipped for good.
 */
type RuleResult<Holds> = { stops: boolean; facts: RuleFacts; until?: number; holds?: Holds };

type Rule<Name, Holds> = {
  name: Name;
  /** Which alerts it judges. */
  kinds: readonly AlertKind[];
  evaluate(situation: RuleInput): RuleResult<Holds>;
};

/** A rule for alerts without a transition, such as reminders. Pure. Evaluates every situation of its kinds. */
export type TimedRule<Name extends string = string> = Rule<Name, never> & {
  kinds: readonly Exclude<AlertKind, 'state_change'>[];
};

/** A rule for changes of state, which may be the reason of a transition. Pure and total as above. */
export type Reason<Name extends string = string, Holds = never> = Rule<Name, Holds> & {
  kinds: readonly ['state_change', ...AlertKind[]];
  /** Name where rules are listed. */
  label: string;
  /** A clause that follows the name or the label and a colon. */
  meaning: string;
  /** What a user can do about it, in full sentences; empty if nothing needs to be done. */
  remedy: string;
  /** Why there is or was no alert, to follow a colon. */
  sentence(facts: RuleFacts): string;
  /** What the rule looked at. Times in ISO 8601 and ids stay as they are. */
  found(facts: RuleFacts): string;
};

/** A reason that may hold an alert; lib/alerting/deadlines says until when. */
export type HoldingReason<Name extends string = string> = Reason<Name, boolean> & { may_hold: true };
