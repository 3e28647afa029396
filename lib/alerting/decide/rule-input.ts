import { channelsOfSteps } from '#lib/alerting/policy/effective-policy.ts';
import type { OpenWindow, Policy, Silence } from '#lib/alerting/policy/policy.ts';
import { inForce, POLICY_DEFAULTS, type PolicyInForce } from '#lib/alerting/policy/settings.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { AlertKind, UnreportedFailures } from '#lib/channels/alert.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { Acknowledgement, CheckItem, Flapping, NotifiedAlert, NotifiedState } from '#lib/checks/check-item.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';
import type { DeadlineEntry } from './notes.ts';
import {
  hasFailedAgain,
  isFlapping,
  lastNotifiedState,
  reportedStateOf,
  unreportedFailures,
} from './notified-state.ts';
import type { HoldReason } from './rules.ts';

/** Input of a decision, stored so that the rules can run again, 300 bytes. New properties must be optional. */
export type DecisionInput = {
  /** Epoch ms. */
  at: number;
  notified_state: NotifiedState;
  /** Set if the last alert reports down, and the check has recovered and failed again since. */
  failed_again?: true;
  /** Failures since the last alert that were over before an alert reported them. */
  unreported?: UnreportedFailures;
  /** Epoch ms of the last page and the last warning. */
  last_planned_at?: number;
  last_warned_at?: number;
  /** Includes this change. Times in epoch ms. */
  flapping?: Flapping & { /** Set if it has kept one state long enough. */ over?: true };
  policy: PolicyInForce;
  silence?: Silence;
  window?: OpenWindow;
  /** The held alert, if any, and the time of its recheck (epoch ms). */
  held?: { reason: HoldReason; until: number };
  /** The acknowledgement, if any; times in epoch ms. */
  acknowledged?: { by: string; at: number; until?: number };
  repair?: AwaitedRemediation;
  /** Number of channels that apply; while the cause is unknown, only those that were notified despite the hold. */
  channels: number;
  /** Number of channels that later escalation steps notify, if none is notified now. */
  called_later?: number;
  /** Number of relations of its entity that propagate failure; absent if 0. */
  dependencies?: number;
  /** Late alert: all deliveries of the last alert failed. */
  failed?: true;
  /** Late alert: channels possibly received alerts in the wrong order. */
  out_of_order?: true;
};

/** The input of the rules: plain values, stored with a decision. The same input gives the same decision. */
export type RuleInput = DecisionInput & {
  kind: DecidedKind;
  /** null without a transition. */
  cause: TransitionCause | null;
  /** States of the check; `from` equals `to` without a transition. */
  from: CheckState;
  to: CheckState;
};

export type ChangeRuleInput = RuleInput & { kind: 'state_change' };

/** Returns the rule input of a stored transition. Settings that are newer than the decision have their defaults. */
export const ruleInputOf = (transition: {
  decided_on: DecisionInput;
  cause: TransitionCause;
  check_from_state: CheckState;
  check_to_state: CheckState;
}): ChangeRuleInput => ({
  ...transition.decided_on,
  policy: inForce({ ...POLICY_DEFAULTS, ...transition.decided_on.policy }),
  kind: 'state_change',
  cause: transition.cause,
  from: transition.check_from_state,
  to: transition.check_to_state,
});

export type DecidedKind = Exclude<AlertKind, 'test'>;

/** Whether a late alert skips cooldown and flapping: the last alert failed or arrived out of order. */
export const bypassesCooldown = ({ failed, out_of_order }: RuleInput): boolean =>
  failed === true || out_of_order === true;

/** Whether the alert has recipients, now or at a later escalation step. */
export const hasRecipients = ({ channels, called_later = 0 }: RuleInput): boolean => channels > 0 || called_later > 0;

/** Whether the check is in a state, or in a failure, that no alert has reported. */
export const isUnreported = ({ to, notified_state, failed_again, policy }: RuleInput): boolean =>
  reportedStateOf(to, policy) !== notified_state || (to === 'down' && failed_again === true);

/** Whether the change reports a problem that the channels were not notified of. */
export const isNewProblem = (input: RuleInput): boolean =>
  input.kind === 'state_change' && reportedStateOf(input.to, input.policy) !== 'up' && isUnreported(input);

/** Whether an alert has reported flapping and the check has not kept one state long enough since. */
export const isStillFlapping = ({ flapping, policy }: RuleInput): boolean =>
  policy.flap_threshold > 0 && flapping?.notified === true && !flapping.over;

/** Whether an alert has reported flapping and the check has kept one state long enough, which needs an alert. */
export const isStableAgain = ({ flapping, policy }: RuleInput): boolean =>
  policy.flap_threshold > 0 && flapping?.notified === true && flapping.over === true;

/** Returns the input of a decision about a check at `at` (epoch ms). @param alerts including the present change */
export function decisionInputOf(
  alerts: CheckItem['alerts'],
  policy: PolicyInForce & Pick<Policy, 'silence' | 'window'>,
  channels: readonly unknown[],
  at: number,
): DecisionInput {
  const { last_planned_at, last_warned_at, flapping } = alerts;
  const acknowledged = acknowledgementAt(alerts, at);
  const unreported = unreportedFailures(alerts);
  return {
    at,
    notified_state: lastNotifiedState(alerts),
    ...(hasFailedAgain(alerts) && { failed_again: true }),
    ...(unreported && { unreported }),
    ...(last_planned_at !== undefined && { last_planned_at }),
    ...(last_warned_at !== undefined && { last_warned_at }),
    ...(flapping && { flapping: { ...flapping, ...(!isFlapping(alerts, at) && { over: true as const }) } }),
    policy: inForce(policy),
    ...(policy.silence && { silence: policy.silence }),
    ...(policy.window && { window: policy.window }),
    ...(acknowledged && { acknowledged: factsOf(acknowledged) }),
    channels: channels.length,
  };
}

const factsOf = ({ by, at, until }: Acknowledgement) => ({
  by,
  at,
  ...(until !== undefined && { until }),
});

/** Returns the held alert, if any. */
export const heldIn = (hold: Pick<DeadlineEntry, 'deadline' | 'note'> | undefined): Pick<DecisionInput, 'held'> =>
  hold?.note?.held ? { held: { reason: hold.note.held.reason, until: hold.deadline } } : {};

/** The remediation that an alert waits for, at most until `until` (epoch ms). */
type AwaitedRemediation = { action_id: string; until: number };

/** Returns the slowest remediation. An alert waits for its settling time, two intervals and one timeout. Pure. */
export function awaitedRemediation(
  {
    remediations = {},
    interval_seconds,
    timeout_ms,
  }: Pick<CheckItem, 'remediations' | 'interval_seconds' | 'timeout_ms'>,
  to: CheckState,
  now: number,
): { repair?: AwaitedRemediation } {
  const [slowest] = Object.entries(remediations)
    .filter(([, { state }]) => state === to)
    .sort(([, a], [, b]) => b.settle_seconds - a.settle_seconds);
  if (!slowest) return {};
  const [action_id, { settle_seconds }] = slowest;
  return { repair: { action_id, until: now + (settle_seconds + 2 * interval_seconds) * 1000 + timeout_ms } };
}

/** Returns the number of channels that later steps notify, if an alert for down has no recipient now. Pure. */
export function laterRecipients(
  policy: Pick<Policy, 'channels' | 'escalation' | 'rotas'>,
  reports_state: NotifiedAlert['reports_state'],
  channels: readonly unknown[],
): Pick<DecisionInput, 'called_later'> {
  if (reports_state !== 'down' || channels.length > 0 || policy.escalation.length === 0) return {};
  const called_later = channelsOfSteps(policy).length;
  return called_later > 0 ? { called_later } : {};
}
