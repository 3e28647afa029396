import type { AlertKind, Situation } from './situation.ts';
import type { AlertReason, RuleFacts } from './transition.ts';

/** Rules that only stop alerts without a transition; the others are reasons of a transition. */
type TimedRule =
  | 'repeats_off'
  | 'not_down'
  | 'not_watched'
  | 'catch_up_off'
  | 'told_already'
  | 'acknowledged'
  | 'not_told';
export type RuleName = AlertReason | TimedRule;

/**
 * `stops`: this rule is why there is no alert. `facts`: what it looked at, whichever way it came out. `until`: epoch ms
 * at which it stops no more by itself. `holds`: what it stops is held and decided later, by the deadline `hold`; else
 * it is skipped for good.
 */
type Judged = { stops: boolean; facts: RuleFacts; until?: number; holds?: boolean };

/**
 * One rule of alerting. Pure, and total: it judges every situation of its kinds. A new rule is a file under rules/, a
 * line in the list (rules.ts), and its words (explain/explain-transition.ts).
 */
export type Rule = {
  name: RuleName;
  /** Which alerts it judges. */
  kinds: readonly AlertKind[];
  judge(situation: Situation): Judged;
};
