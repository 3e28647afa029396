import { channelsOfSteps } from '#lib/alerting/policy/effective-policy.ts';
import type { OpenWindow, Policy, Silence } from '#lib/alerting/policy/policy.ts';
import { inForce, type PolicyInForce } from '#lib/alerting/policy/settings.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { DeliveryKind } from '#lib/channels/alert.ts';
import { acknowledgementAt } from '#lib/checks/acknowledgement.ts';
import type { Acknowledgement, CheckItem, Flapping, NotifiedAlert, NotifiedState } from '#lib/checks/check-item.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';
import type { DeadlineEntry } from './notes.ts';
import { isFlapping, lastNotifiedState, reportedStateOf } from './notified-state.ts';
import type { HoldReason } from './rules.ts';

/**
 * What is lost once more has happened: it is stored with the decision, so that the same rules can be run again. Some
 * 300 bytes. A rule that looks at more adds its own member, optional, so that what was stored before can still be read.
 */
export type DecisionInput = {
  /** Epoch ms by which it was decided. */
  at: number;
  /** Settings revision of the check, and how far it had counted by the deciding result. */
  rev: number;
  failures: number;
  failure_threshold: number;
  enabled: boolean;
  /** What the channels were told before. */
  told: NotifiedState;
  /** Epoch ms of the last page and the last warning. */
  last_planned_at?: number;
  last_warned_at?: number;
  /** With this change counted. Epoch ms. */
  flapping?: Flapping & { /** It has kept its state long enough. */ over?: true };
  policy: PolicyInForce;
  /** What silences it, if anything does. */
  silence?: Silence;
  /** The maintenance window that is open for it, if one is. */
  window?: OpenWindow;
  /** An alert of it that is held, and when that is looked at (epoch ms). */
  held?: { reason: HoldReason; until: number };
  /** Somebody looks after the failure; times in epoch ms. */
  acknowledged?: { by: string; at: number; until?: number };
  /** What is to repair it before anybody is told. */
  repair?: AwaitedRemediation;
  /** How many channels apply; while the cause of a failure is not known, those that were told all the same. */
  channels: number;
  /** Of a failure that none of them hears yet: how many the steps of its escalation call later. */
  called_later?: number;
  /** Relations of its entity that carry failure; absent where there are none. */
  dependencies?: number;
  /** Catch-up: all deliveries of the last alert failed. */
  failed?: true;
  /** Catch-up: channels may have been told in the wrong order. */
  misled?: true;
};

/** All that the rules look at: plain values, which a decision stores. Same input, same decision. */
export type RuleInput = DecisionInput & {
  kind: AlertKind;
  /** Of a transition; else null. */
  cause: TransitionCause | null;
  /** The check's own states. Of an alert without a transition `from` is the same as `to`. */
  from: CheckState;
  to: CheckState;
};

/** What the alert of a change of state is decided on. */
export type ChangeSituation = RuleInput & { kind: 'state_change' };

/** What the alert of a change of state was decided on. */
export const ruleInputOf = (transition: {
  decided_on: DecisionInput;
  cause: TransitionCause;
  check_from_state: CheckState;
  check_to_state: CheckState;
}): ChangeSituation => ({
  ...transition.decided_on,
  kind: 'state_change',
  cause: transition.cause,
  from: transition.check_from_state,
  to: transition.check_to_state,
});

/** Kinds that rules decide on. */
export type AlertKind = Exclude<DeliveryKind, 'test'>;

/** A catch-up that waits neither for a cooldown nor for flapping: nobody heard the last alert, or not as the last. */
export const bypassesCooldown = ({ failed, misled }: RuleInput): boolean => failed === true || misled === true;

/** Whether somebody hears of it, now or by a later step of its escalation. */
export const hasRecipients = ({ channels, called_later = 0 }: RuleInput): boolean => channels > 0 || called_later > 0;

/** A change that says something else than that all is well, and that the channels do not know. */
export const isNewProblem = ({ kind, to, told, policy }: RuleInput): boolean => {
  const reports_state = reportedStateOf(to, policy);
  return kind === 'state_change' && reports_state !== 'up' && reports_state !== told;
};

/** An alert has said that it flaps, and it has not kept its state since. */
export const isStillFlapping = ({ flapping, policy }: RuleInput): boolean =>
  policy.flap_threshold > 0 && flapping?.told === true && !flapping.over;

/** An alert has said that it flaps, and promised to tell once it has kept its state, as it has now. */
export const isStableAgain = ({ flapping, policy }: RuleInput): boolean =>
  policy.flap_threshold > 0 && flapping?.told === true && flapping.over === true;

/**
 * What is looked at of a check, its policy and the channels that apply.
 * @param alerts with this change counted
 * @param at epoch ms
 */
export function decisionInputOf(
  check: Pick<CheckItem, 'rev' | 'consecutive_failures' | 'failure_threshold' | 'enabled'>,
  alerts: CheckItem['alerts'],
  policy: PolicyInForce & Pick<Policy, 'silence' | 'window'>,
  channels: readonly unknown[],
  at: number,
): DecisionInput {
  const { rev, consecutive_failures: failures, failure_threshold, enabled } = check;
  const { last_planned_at, last_warned_at, flapping } = alerts;
  const acknowledged = acknowledgementAt(alerts, at);
  return {
    at,
    rev,
    failures,
    failure_threshold,
    enabled,
    told: lastNotifiedState(alerts),
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

/** The same of an alert that is held, where one is. */
export const heldIn = (hold: Pick<DeadlineEntry, 'deadline' | 'note'> | undefined): Pick<DecisionInput, 'held'> =>
  hold?.note?.held ? { held: { reason: hold.note.held.reason, until: hold.deadline } } : {};

/** What is to repair a failure before anybody is told, and until when (epoch ms) that is waited for. */
type AwaitedRemediation = { action_id: string; until: number };

/**
 * Pure: the action whose first verdict the alert of a check waits for once it comes to a state, at `now` (epoch ms): as
 * long as that takes at most, its settling time and two more results. Of several the one that takes longest.
 */
export function awaitedRemediation(
  { repairs = {}, interval_seconds, timeout_ms }: Pick<CheckItem, 'repairs' | 'interval_seconds' | 'timeout_ms'>,
  to: CheckState,
  now: number,
): { repair?: AwaitedRemediation } {
  const [slowest] = Object.entries(repairs)
    .filter(([, { state }]) => state === to)
    .sort(([, a], [, b]) => b.settle_seconds - a.settle_seconds);
  if (!slowest) return {};
  const [action_id, { settle_seconds }] = slowest;
  return { repair: { action_id, until: now + (settle_seconds + 2 * interval_seconds) * 1000 + timeout_ms } };
}

/**
 * Pure: how many the steps of its escalation call later, of an alert for down that nobody hears now: it is decided as
 * any other, as the steps count from it.
 */
export function laterRecipients(
  policy: Pick<Policy, 'channels' | 'escalation'>,
  reports_state: NotifiedAlert['reports_state'],
  channels: readonly unknown[],
): Pick<DecisionInput, 'called_later'> {
  if (reports_state !== 'down' || channels.length > 0 || policy.escalation.length === 0) return {};
  const called_later = channelsOfSteps(policy).length;
  return called_later > 0 ? { called_later } : {};
}
