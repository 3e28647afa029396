import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { type AlertDeadlineKind, type CheckAlerting, readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import { retrySeriesOf } from '#lib/alerting/decide/late-alert-retries.ts';
import type { Deadline, DeadlineEntry, HeldAlert } from '#lib/alerting/decide/notes.ts';
import { withNotifiedBy } from '#lib/alerting/decide/notified-failure.ts';
import {
  type CooldownClass,
  earlierFailures,
  isFlapping,
  reportedStateOf,
  startCooldown,
  withLatestAlert,
  withoutFlapping,
} from '#lib/alerting/decide/notified-state.ts';
import { followUpTargets, openAlertNote, recoveryRecipients } from '#lib/alerting/decide/recipients.ts';
import { type DecidedKind, decisionInputOf, heldIn, type RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { type DecidedTransition, lastTransition } from '#lib/alerting/decide/transition.ts';
import type { AlertChannel, Policy } from '#lib/alerting/policy/policy.ts';
import type { AlertUrgency } from '#lib/channels/alert.ts';
import { type CheckItem, type NotifiedAlert, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { deadlineWrites, dueDeadline, type Owner } from '#lib/schedule/entries.ts';
import { postponed } from '#lib/schedule/jobs.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { commitOutcome, moveDeadline, type Outcome } from './commit-outcome.ts';

/** A due deadline of alerting and its data, read strongly. */
export type DueAlertDeadline = {
  check: CheckItem;
  policy: Policy;
  /** Number of relations of its entity that propagate failure. */
  dependencies?: number;
  entry: Deadline;
  /** Deadline of the held alert of the check, if any. */
  hold?: Deadline | undefined;
  now: number;
};

type TimedDeadlineKind = Exclude<AlertDeadlineKind, 'hold'>;

/** An alert without a transition: rule input, reported state, and the cooldown that it starts. */
type TimedAlert = {
  input: RuleInput;
  reports_state: NotifiedAlert['reports_state'];
  cooldown: CooldownClass | null;
  /** Default: high. */
  urgency?: AlertUrgency;
  /** Escalation: recipients, index of the step, from 0, and steps so far that did not reach a person on call. */
  channels?: readonly AlertChannel[];
  step?: number;
  unreached?: number[] | undefined;
};

/** A decision; without `next` the deadline ends. `alerts`: new notified states, without the alert itself. */
export type TimedDecision = {
  alert?: TimedAlert;
  next?: Deadline | undefined;
  alerts?: CheckItem['alerts'];
  /** Set if the alert is held until its cause is known. */
  held?: true;
};

/** Handles a deadline in one transaction; a repeated, late or early call does no harm. @returns deadlines to send */
export async function handleAlertDeadline(
  env: Env,
  deadline: DueDeadline,
  kind: TimedDeadlineKind,
  decide: (due: DueAlertDeadline) => TimedDecision,
): Promise<DueDeadline[]> {
  const { ports, keys } = env;
  const watermark = await readWatermark(env, keys.shardOf(deadline.check_id));
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [postponed(deadline, now)];
  return retryOnConflict(ports, () => handleOnce(env, deadline, kind, decide));
}

async function handleOnce(
  env: Env,
  deadline: DueDeadline,
  kind: TimedDeadlineKind,
  decide: (due: DueAlertDeadline) => TimedDecision,
): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, keys } = env;
  const { tenant_id, entity_id, check_id } = deadline;
  const owner = { tenant_id, entity_id, id: check_id };
  const read = await readCheckAlerting(env, owner, { deadlines: [kind, 'hold'], notifiedFailure: true });
  const { check, entity, policy, notifiedFailure, now } = read;
  const { [kind]: entry, hold } = read.deadlines;
  if (!entry || entry.deadline > now) return [];

  const transition = entity && (await lastTransition(env, tenant_id, check_id));
  const due = check && entity && { check, policy, dependencies: entity.dependencies, entry, hold, now };
  const decided = due && transition ? decide(due) : {};
  const { alert, next, alerts } = decided;
  if (!due || !transition || !(decided.held || alert || alerts)) return moveDeadline(env, read, { kind, next });
  if (decided.held) return startHold(env, { ...read, check }, kind, transition);

  const token = ports.ids.token();
  const to = check.state;
  const lasts = to === 'down' && notifiedFailure !== undefined && notifiedFailure.recovered_at === undefined;
  const related = {
    incident_id: entity.incident?.id ?? (lasts ? notifiedFailure.id : undefined),
    shares_incident: lasts,
  };
  const item = alert && timedAlert(env, deadline, due, transition, { ...alert, ...related });
  const outcome: Outcome = {
    token,
    items: item ? [item] : [],
    alerts: afterAlert(due, decided, item?.id),
    notifiedFailure: withNotifiedBy(item, notifiedFailure, { to, at: now }),
    extraWrites: item && entity.dependencies > 0 ? [holdAsRead(keys, owner, hold)] : [],
  };
  return commitOutcome(env, read, { kind, next }, outcome);
}

/** Holds a late alert to find its cause. Writes the check, so that a concurrent state change is decided again. */
function startHold(
  env: Env,
  read: CheckAlerting & { check: CheckItem },
  kind: TimedDeadlineKind,
  transition: DecidedTransition,
): Promise<DueDeadline[] | typeof RETRY> {
  const { ports, keys } = env;
  const { check, now } = read;
  const held: HeldAlert = {
    ...{ transition_sk: transition.sk, kind: 'late', reason: 'dependency', from: now },
    ...openAlertNote(check.alerts),
  };
  const token = ports.ids.token();
  const begins = deadlineWrites(keys, 'hold', check, token, read.deadlines.hold, { deadline: now, note: { held } });
  const extraWrites = [replaceCheck(check, nextCheck(check, token, {})), ...begins];
  return moveDeadline(env, read, { kind, next: undefined }, extraWrites, [dueDeadline('hold', check, now)]);
}

/** Returns the condition that no hold started since the read, because a hold changes the recipients. */
const holdAsRead = (keys: Keys, { tenant_id, id }: Owner, hold: DeadlineEntry | undefined): Write => ({
  check: keys.entry('hold', tenant_id, id),
  if: hold ? { version: hold.v } : 'absent',
});

/** Adds the alert to the notified states; an escalation can start with it. */
function afterAlert(
  { check, policy, now }: DueAlertDeadline,
  { alert, alerts = check.alerts }: TimedDecision,
  id = '',
) {
  if (!alert) return alerts;
  return withEscalationStarted(withTimedAlert({ alerts }, id, alert, now).alerts, policy, alert.reports_state, now);
}

export function timedRuleInputOf(
  { check, policy, dependencies = 0, entry, hold, now: at }: DueAlertDeadline,
  kind: Exclude<DecidedKind, 'state_change'>,
): RuleInput {
  const { failed_at, out_of_order } = entry.note ?? {};
  const { state } = check;
  const reports_state = kind === 'closed' ? 'up' : reportedStateOf(state, policy);
  const channels = channelsOf({ check, policy, hold }, reports_state);
  return {
    ...decisionInputOf(check.alerts, policy, channels, at),
    ...(dependencies > 0 && { dependencies }),
    ...heldIn(hold),
    ...(failed_at !== undefined && { failed: true }),
    ...(out_of_order && { out_of_order }),
    ...{ kind, cause: null, from: state, to: state },
  };
}

export const withTimedAlert = (
  { alerts }: Pick<CheckItem, 'alerts'>,
  id: string,
  { reports_state, cooldown }: Pick<TimedAlert, 'reports_state' | 'cooldown'>,
  now: number,
) => ({
  alerts: {
    ...(isFlapping(alerts, now) ? alerts : withoutFlapping(alerts)),
    ...startCooldown(cooldown, now),
    announced: withLatestAlert(alerts, { id, reports_state }),
  },
});

function channelsOf(
  { check, policy, hold }: Pick<DueAlertDeadline, 'check' | 'policy' | 'hold'>,
  reports_state: NotifiedAlert['reports_state'],
) {
  return reports_state === 'up'
    ? recoveryRecipients(hold, policy, check.alerts)
    : followUpTargets(hold, policy, reports_state, check.alerts);
}

/** Incident of an alert, and whether failures of dependents can share it. */
type Related = { incident_id: string | undefined; shares_incident: boolean };

/** Returns an alert without a transition of its own; it refers to the last one. */
function timedAlert(
  { keys }: Env,
  { tenant_id, entity_id, check_id }: DueDeadline,
  due: DueAlertDeadline,
  transition: DecidedTransition,
  {
    input,
    reports_state,
    urgency = 'high',
    step,
    unreached,
    channels: stepChannels,
    incident_id,
    shares_incident,
  }: TimedAlert & Related,
): AlertItem {
  const series = retrySeriesOf(due.entry);
  const channels = stepChannels ?? channelsOf(due, reports_state);
  return alertItem(keys, {
    ...{ tenant_id, entity_id, check_id, reports_state, at: due.now, n: due.entry.deadline, channels, transition },
    ...{ kind: input.kind, urgency },
    ...earlierFailures(due.check.alerts, reports_state),
    expires_at: transition.expires_at,
    ...(series && { series }),
    ...(incident_id !== undefined && { incident_id, ...(shares_incident && { shares_incident }) }),
    ...(step !== undefined && { step }),
    ...(unreached && { unreached }),
    decided_on: input,
  });
}
