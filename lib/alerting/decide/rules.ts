import { dependency, maintenance, remediation } from './hold-rules.ts';
import { cooldown, flapping, silenced } from './quiet-rules.ts';
import type { HoldingReason, Reason, TimedRule } from './rule.ts';
import type { AlertKind, ChangeRuleInput, RuleInput } from './rule-input.ts';
import {
  acknowledged,
  alreadyNotified,
  catchUpOff,
  configuration,
  degradedOff,
  initial,
  noChannels,
  notDown,
  notNotified,
  notWatched,
  recoveryOff,
  repeatsOff,
} from './state-rules.ts';
import type { AlertReason, RuleFacts } from './transition.ts';

/** All rules of alerting in order (docs/use/alerts.md#decisions): the first that stops an alert is its reason. */
export const RULES = [
  configuration,
  repeatsOff,
  notDown,
  catchUpOff,
  notWatched,
  notNotified,
  acknowledged,
  silenced,
  initial,
  degradedOff,
  alreadyNotified,
  recoveryOff,
  flapping,
  cooldown,
  dependency,
  maintenance,
  remediation,
  noChannels,
] as const satisfies readonly (TimedRule | Reason | HoldingReason)[];

type AnyRule = (typeof RULES)[number];
type AnyReason = Extract<AnyRule, Reason<string, boolean>>;
type AnyHold = Extract<AnyRule, HoldingReason>;

type RuleName = AnyRule['name'];
/** Names of rules that can hold an alert. */
export type HoldReason = AnyHold['name'];

const isReason = (rule: AnyRule): rule is AnyReason => 'label' in rule;
const mayHold = (rule: AnyRule): rule is AnyHold => 'may_hold' in rule;
const appliesTo = ({ kinds }: { kinds: readonly AlertKind[] }, kind: AlertKind): boolean => kinds.includes(kind);

/** The rules that transitions name as reasons, in order. */
export const REASONS = RULES.filter(isReason);

const BY_NAME = new Map(REASONS.map((one) => [one.name, one]));

/** Returns the rule that a reason names. */
export const reasonOf = (name: AlertReason): AnyReason => BY_NAME.get(name)!;

/** Outcome of a rule; `not_reached` if an earlier rule stopped the alert. */
type RuleOutcome<Name> = { rule: Name; outcome: 'pass' | 'stop' | 'not_reached'; facts: RuleFacts };

/** `facts`: the values that the deciding rule read. `until`: end of the stop (epoch ms). */
type Outcome<Name> = { facts: RuleFacts; until?: number } & (
  | { decision: 'planned'; reason: null }
  | { decision: 'held'; reason: Name & HoldReason }
  | { decision: 'skipped'; reason: Name }
);

const HOLDS: ReadonlySet<RuleName> = new Set(RULES.filter(mayHold).map(({ name }) => name));

/**
 * Returns the time of a late alert for a skipped one (epoch ms): the end of the rule. Undefined if the rule does not
 * end by itself, and for a rule that may hold alerts, which has its own deadline. Pure.
 */
export const lateAt = ({ decision, reason, until }: Outcome<RuleName>): number | undefined =>
  decision === 'skipped' && !HOLDS.has(reason) ? until : undefined;

/** A decision. `rules`: every rule of its kind, in order. */
export type Decided<Name = RuleName> = Outcome<Name> & { rules: RuleOutcome<Name>[] };

/** Runs the rules of its kind in order; the first that stops the alert decides. Pure. */
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
