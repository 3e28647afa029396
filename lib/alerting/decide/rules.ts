import { dependency, maintenance, remediation } from './hold-rules.ts';
import { cooldown, flapping, silenced } from './quiet-rules.ts';
import type { HoldingRule, ReasonRule, TimedRule } from './rule.ts';
import type { ChangeRuleInput, DecidedKind, RuleInput } from './rule-input.ts';
import {
  acknowledged,
  alreadyNotified,
  configuration,
  degradedDisabled,
  initial,
  lateAlertsDisabled,
  noChannels,
  notDown,
  notNotified,
  recoveryDisabled,
  remindersDisabled,
  stateUnknown,
} from './state-rules.ts';
import type { AlertReason, RuleFacts } from './transition.ts';

/** All rules of alerting in order (docs/use/alerts.md#decisions); the first rule that stops an alert is the reason. */
export const RULES = [
  configuration,
  remindersDisabled,
  notDown,
  lateAlertsDisabled,
  stateUnknown,
  notNotified,
  acknowledged,
  silenced,
  initial,
  degradedDisabled,
  alreadyNotified,
  recoveryDisabled,
  flapping,
  cooldown,
  dependency,
  maintenance,
  remediation,
  noChannels,
] as const satisfies readonly (TimedRule | ReasonRule | HoldingRule)[];

type AnyRule = (typeof RULES)[number];
type AnyReason = Extract<AnyRule, ReasonRule<string, boolean>>;
type AnyHold = Extract<AnyRule, HoldingRule>;

type RuleName = AnyRule['name'];
export type HoldReason = AnyHold['name'];

const isReason = (rule: AnyRule): rule is AnyReason => 'label' in rule;
const mayHold = (rule: AnyRule): rule is AnyHold => 'may_hold' in rule;
const appliesTo = ({ kinds }: { kinds: readonly DecidedKind[] }, kind: DecidedKind): boolean => kinds.includes(kind);

export const REASON_RULES = RULES.filter(isReason);

const BY_NAME = new Map(REASON_RULES.map((one) => [one.name, one]));

export const ruleOfReason = (name: AlertReason): AnyReason => BY_NAME.get(name)!;

/** Outcome of a rule; `not_reached` if an earlier rule stopped the alert. */
type RuleOutcome<Name> = { rule: Name; outcome: 'pass' | 'stop' | 'not_reached'; facts: RuleFacts };

/** `facts`: the values that the deciding rule read. `until`: end of the stop (epoch ms). */
type Outcome<Name> = { facts: RuleFacts; until?: number } & (
  | { decision: 'planned'; reason: null }
  | { decision: 'held'; reason: Name & HoldReason }
  | { decision: 'skipped'; reason: Name }
);

const HOLDING_RULES: ReadonlySet<RuleName> = new Set(RULES.filter(mayHold).map(({ name }) => name));

/**
 * Returns the time of the late alert that replaces a skipped alert (epoch ms): the end of the rule that skipped it.
 * Undefined if that rule does not end by itself, or may hold alerts and so has its own deadline. Pure.
 */
export const lateAt = ({ decision, reason, until }: Outcome<RuleName>): number | undefined =>
  decision === 'skipped' && !HOLDING_RULES.has(reason) ? until : undefined;

/** A decision. `rules`: every rule for the kind of alert, in order. */
export type Decided<Name = RuleName> = Outcome<Name> & { rules: RuleOutcome<Name>[] };

/** Runs the rules for the kind of alert in order; the first rule that stops it decides. Pure. */
export function decide(input: ChangeRuleInput): Decided<AlertReason>;
export function decide(input: RuleInput): Decided;
export function decide(input: RuleInput): Decided {
  let outcome: Outcome<RuleName> = { decision: 'planned', reason: null, facts: {} };
  const rules: RuleOutcome<RuleName>[] = [];
  for (const rule of RULES) {
    if (!appliesTo(rule, input.kind)) continue;
    if (outcome.reason !== null) {
      rules.push({ rule: rule.name, outcome: 'not_reached', facts: {} });
      continue;
    }
    const { stops, facts, until, holds } = rule.evaluate(input);
    rules.push({ rule: rule.name, outcome: stops ? 'stop' : 'pass', facts });
    if (!stops) continue;
    const more = { facts, ...(until !== undefined && { until }) };
    outcome =
      holds && mayHold(rule)
        ? { decision: 'held', reason: rule.name, ...more }
        : { decision: 'skipped', reason: rule.name, ...more };
  }
  return { ...outcome, rules };
}
