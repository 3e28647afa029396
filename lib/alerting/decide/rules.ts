import { dependency, maintenance, remediation } from './hold-rules.ts';
import { cooldown, flapping, silenced } from './quiet-rules.ts';
import type { HoldingReason, Reason, TimedRule } from './rule.ts';
import type { AlertKind, ChangeSituation, RuleInput } from './rule-input.ts';
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

/**
 * All rules of alerting, in the order in which they are asked (docs/use/alerts.md#decisions): the first that stops an
 * alert is its reason. What is explained runs this very list.
 */
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
/** Names of rules that may hold an alert, to be decided later. */
export type HoldReason = AnyHold['name'];

const isReason = (rule: AnyRule): rule is AnyReason => 'label' in rule;
const mayHold = (rule: AnyRule): rule is AnyHold => 'may_hold' in rule;
const judges = ({ kinds }: { kinds: readonly AlertKind[] }, kind: AlertKind): boolean => kinds.includes(kind);

/** The rules that may be the reason of a transition, in their order. */
export const REASONS = RULES.filter(isReason);

const BY_NAME = new Map(REASONS.map((one) => [one.name, one]));

/** The rule that a reason names. */
export const reasonOf = (name: AlertReason): AnyReason => BY_NAME.get(name)!;

/** What came of a rule; `not_reached` when one before it had stopped the alert. */
type RuleOutcome<Name> = { rule: Name; outcome: 'pass' | 'stop' | 'not_reached'; facts: RuleFacts };

/** `facts`: what the rule looked at that stopped the alert. `until`: epoch ms when it stops no more by itself. */
type Outcome<Name> = { facts: RuleFacts; until?: number } & (
  | { decision: 'planned'; reason: null }
  | { decision: 'held'; reason: Name & HoldReason }
  | { decision: 'skipped'; reason: Name }
);

/** `rules`: every rule of its kind, in order. */
export type Decided<Name = RuleName> = Outcome<Name> & { rules: RuleOutcome<Name>[] };

const HOLDS: ReadonlySet<RuleName> = new Set(RULES.filter(mayHold).map(({ name }) => name));

/**
 * Returns when a late alert may report what a rule skipped (epoch ms): when the rule ends by itself. Returns undefined
 * if it does not, and for a rule that may hold alerts, which has a deadline of its own. Pure.
 */
export const lateAt = ({ decision, reason, until }: Outcome<RuleName>): number | undefined =>
  decision === 'skipped' && !HOLDS.has(reason) ? until : undefined;

/** Pure: runs the rules of its kind in their order; the first that stops the alert decides. */
export function decide(situation: ChangeSituation): Decided<AlertReason>;
export function decide(situation: RuleInput): Decided;
export function decide(situation: RuleInput): Decided {
  let outcome: Outcome<RuleName> = { decision: 'planned', reason: null, facts: {} };
  const rules: RuleOutcome<RuleName>[] = [];
  for (const rule of RULES) {
    if (!judges(rule, situation.kind)) continue;
    if (outcome.reason !== null) {
      rules.push({ rule: rule.name, outcome: 'not_reached', facts: {} });
      continue;
    }
    const { stops, facts, until, holds } = rule.evaluate(situation);
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
