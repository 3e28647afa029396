import { entitiesFailingWith } from '#lib/alerting/cause/held-under.ts';
import { nextStepAt, withEscalationStarted, withStepTaken } from '#lib/alerting/decide/escalation.ts';
import { expectedResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline } from '#lib/alerting/decide/notes.ts';
import { reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { cooldownAfter, silenceRecheckAt } from '#lib/alerting/decide/quiet-rules.ts';
import { isUnnotified } from '#lib/alerting/decide/recipients.ts';
import { isStillFlapping } from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { lastTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { channelsOfStep, missesPerson } from '#lib/alerting/policy/effective-policy.ts';
import { isSilenced, type Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { type DueAlertDeadline, handleAlertDeadline, type TimedDecision, timedRuleInputOf } from './timed-alert.ts';

export const sendReminder = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'reminder', decideReminder);

/**
 * Decides a reminder: every N seconds after the transition to down, even if the alert of the transition was skipped.
 * Reminders ignore the cooldown; a silence stops them (docs/use/alerts.md#decisions). Pure.
 */
export function decideReminder(due: DueAlertDeadline): TimedDecision {
  const { check, policy, now } = due;
  const input = timedRuleInputOf(due, 'reminder');
  const { decision, reason, until } = decide(input);
  if (reason === 'reminders_disabled' || reason === 'not_down') return {};
  // A reminder that a maintenance window suppresses is due at the end of the window.
  if (reason === 'maintenance' && until !== undefined) return { next: { deadline: until } };
  const next = { deadline: nextReminderAt(Date.parse(check.state_since), policy.repeat_interval_seconds * 1000, now) };
  return decision === 'planned' ? { alert: { input, reports_state: 'down', cooldown: null }, next } : { next };
}

/** Returns the time of the first reminder after `now` of a check that is down since `since` (epoch ms). */
export const nextReminderAt = (since: number, interval_ms: number, now: number): number =>
  since + (Math.floor((now - since) / interval_ms) + 1) * interval_ms;

/** Compares the last notified state with the present one, and alerts the channels if the states differ. */
export const sendLateAlert = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'late', decideLateAlert);

/**
 * Decides a late alert, which corrects the last notified state (docs/use/alerts.md#late-alerts). It waits until the
 * cooldown and reported flapping end, unless the last alert failed on every channel or arrived out of order. Pure.
 */
export function decideLateAlert(due: DueAlertDeadline): TimedDecision {
  const { check, policy, entry, now } = due;
  if (!check.enabled) return decideClosing(due);
  const input = timedRuleInputOf(due, 'late');
  const { decision, reason, until } = decide(input);
  const { flapping } = input;
  const calm = flapping && isStillFlapping(input) ? { deadline: flapping.until } : undefined;
  if (decision === 'planned') {
    const reports_state = reportedStateOf(check.state, policy);
    return { alert: { input, reports_state, cooldown: cooldownAfter(input) }, next: calm };
  }
  if (decision === 'held') return { held: true };
  const escalating = withEscalationStarted(check.alerts, policy, reportedStateOf(check.state, policy), now);
  if (reason === 'no_channels' && escalating !== check.alerts) return { alerts: escalating };
  // A change of the policy of the check, or of its state, ends these stops and triggers a decision.
  if (reason === 'late_alerts_disabled' || reason === 'state_unknown') return {};
  if (isSilenced(policy)) return { next: afterSilence(policy, entry, now) };
  const later = (deadline: number) => ({ next: { deadline, ...(entry.note && { note: entry.note }) } });
  if ((reason === 'maintenance' || reason === 'remediation') && until !== undefined)
    return later(expectedResultAt(check, until));
  if (calm) return { next: calm };
  return until === undefined ? {} : later(until);
}

/** Decides the closing alert of a disabled check, if its channels have not received it. */
function decideClosing(due: DueAlertDeadline): TimedDecision {
  if (!due.policy.late_alerts) return {};
  const input = timedRuleInputOf(due, 'closed');
  const { decision, reason } = decide(input);
  if (reason === 'silenced') return { next: afterSilence(due.policy, due.entry, due.now) };
  if (decision !== 'planned') return {};
  return { alert: { input, reports_state: 'up', cooldown: null } };
}

function afterSilence({ silence }: Policy, { note }: Deadline, now: number): Deadline | undefined {
  const deadline = silenceRecheckAt(silence, now);
  return deadline === undefined ? undefined : { deadline, ...(note && { note }) };
}

export const escalate = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'escalation', decideEscalation);

/** Maximum recheck interval (ms) of a suppressed step without an acknowledgement. */
const RECHECK_MS = 300_000;

/**
 * Decides an escalation step, once per failure and without cooldown (docs/use/escalation.md#escalation). A step without
 * channels is skipped. Pure.
 */
export function decideEscalation(due: DueAlertDeadline): TimedDecision {
  const { check, policy, entry, now } = due;
  const step = check.alerts.episode?.escalation?.steps ?? 0;
  const at = nextStepAt(check.alerts, policy);
  if (at === undefined) return {};
  // The policy has changed since the deadline was set.
  if (now < at && !entry.note?.at_once) return { next: { deadline: at } };
  const channels = channelsOfStep(policy, step);
  // No step is due before a first alert of the failure. The rule of a remediation waits by itself.
  const waitsForCause = due.hold?.note?.held?.reason === 'dependency' && isUnnotified(due.hold);
  const input = { ...timedRuleInputOf(due, 'escalation'), channels: waitsForCause ? 0 : channels.length };
  const { decision, reason, until } = decide(input);
  if (decision !== 'planned' && reason !== 'no_channels') return { next: recheckOf(reason, until, now) };

  const isMissed = missesPerson(policy, step);
  const alerts = withStepTaken(check.alerts, channels, isMissed);
  const atOnce: Deadline | undefined = policy.escalation[step + 1] && { deadline: now, note: { at_once: true } };
  if (reason === 'no_channels') return { alerts, next: atOnce };
  return {
    alerts,
    alert: {
      ...{ input, reports_state: 'down', cooldown: null, channels, step },
      unreached: alerts.episode?.escalation?.unreached,
    },
    next: isMissed ? atOnce : afterStep(alerts, policy, now),
  };
}

/** Returns the recheck of a suppressed step. Removing an acknowledgement triggers one, too. */
function recheckOf(reason: string | null, until: number | undefined, now: number): Deadline | undefined {
  if (reason === 'acknowledged') return until === undefined ? undefined : { deadline: until };
  const latest = now + RECHECK_MS;
  return { deadline: until !== undefined && until > now ? Math.min(until, latest) : latest };
}

/** Returns the deadline of the next step. After a late step it is later, too, so that steps do not bunch. */
function afterStep(alerts: CheckItem['alerts'], policy: Policy, now: number): Deadline | undefined {
  const at = nextStepAt(alerts, policy);
  if (at === undefined) return undefined;
  const steps = alerts.episode?.escalation?.steps ?? 0;
  const [taken, next] = [policy.escalation[steps - 1], policy.escalation[steps]];
  const interval_ms = ((next?.after_seconds ?? 0) - (taken?.after_seconds ?? 0)) * 1000;
  return { deadline: Math.max(at, now + interval_ms) };
}

/** Sends one update to the recipients of an alert if more entities fail now than it reported. */
export async function sendImpactUpdate(env: Env, deadline: DueDeadline): Promise<DueDeadline[]> {
  const hasGrown = await hasMoreThanReported(env, deadline);
  return handleAlertDeadline(env, deadline, 'impact', (due) => (hasGrown ? decideUpdate(due) : {}));
}

function decideUpdate(due: DueAlertDeadline): TimedDecision {
  if (!due.policy.impact_update) return {};
  const input = timedRuleInputOf(due, 'impact');
  // The reported failure can be over, and a new one that no alert has reported can have started.
  if (input.notified_state !== 'down' || decide(input).decision !== 'planned') return {};
  return { alert: { input, reports_state: 'down', cooldown: null, urgency: 'low' } };
}

async function hasMoreThanReported(env: Env, { tenant_id, entity_id, check_id }: DueDeadline): Promise<boolean> {
  const { ports, keys } = env;
  const [transition, failing] = await Promise.all([
    lastTransition(env, tenant_id, check_id),
    entitiesFailingWith({ ...env, tenant: tenant_id }, entity_id),
  ]);
  const ids = transition?.alert.deliveries ?? [];
  const deliveries = await ports.table.getMany<DeliveryItem>(ids.map((id) => keys.delivery(tenant_id, id)));
  return failing.length > Math.max(0, ...deliveries.map((one) => one?.affected ?? 0));
}
