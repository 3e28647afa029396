import { entitiesFailingWith } from '#lib/alerting/cause/held-under.ts';
import { nextStepAt, withEscalationStarted, withStepTaken } from '#lib/alerting/decide/escalation.ts';
import { expectedResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline } from '#lib/alerting/decide/notes.ts';
import { reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { classOf, silenceRecheckAt } from '#lib/alerting/decide/quiet-rules.ts';
import { isUnnotified } from '#lib/alerting/decide/recipients.ts';
import { isStillFlapping } from '#lib/alerting/decide/rule-input.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { lastTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { channelsOfStep } from '#lib/alerting/policy/effective-policy.ts';
import { isSilenced, type Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { type DueAlert, handleAlertDeadline, type TimedDecision, timedRuleInputOf } from './timed-alert.ts';

/** Reminds the channels that the check is still down. */
export const repeatAlert = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'reminder', decideRepeat);

/**
 * Pure: repeats come every N seconds from the transition to down, also when that one's own alert was skipped by the
 * cooldown; they ignore the cooldown and start none, and a silenced policy stops them (docs/use/alerts.md#decisions).
 */
export function decideRepeat(due: DueAlert): TimedDecision {
  const { check, policy, now } = due;
  const situation = timedRuleInputOf(due, 'reminder');
  const { decision, reason, until } = decide(situation);
  if (reason === 'reminders_disabled' || reason === 'not_down') return {};
  // One that maintenance holds back is due when that is over.
  if (reason === 'maintenance' && until !== undefined) return { next: { deadline: until } };
  const next = { deadline: nextRepeat(Date.parse(check.state_since), policy.repeat_interval_seconds * 1000, now) };
  return decision === 'planned' ? { alert: { situation, reports_state: 'down', cooldown: null }, next } : { next };
}

/** The first repeat after `now` of a check that is down since `since`; all in epoch ms. */
export const nextRepeat = (since: number, interval: number, now: number): number =>
  since + (Math.floor((now - since) / interval) + 1) * interval;

/** Compares the announced state with the present one, and alerts the channels where they differ. */
export const catchUp = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'late', decideCatchUp);

/**
 * Pure: a skipped alert stays skipped, but no channel keeps a false belief (docs/use/alerts.md#late-alerts). It waits
 * for the end of a cooldown, and of flapping once that was told, unless all deliveries of the last alert failed, or
 * they went out in the wrong order.
 */
export function decideCatchUp(due: DueAlert): TimedDecision {
  const { check, policy, entry, now } = due;
  if (!check.enabled) return decideClosing(due);
  const situation = timedRuleInputOf(due, 'late');
  const { decision, reason, until } = decide(situation);
  const { flapping } = situation;
  const calm = flapping && isStillFlapping(situation) ? { deadline: flapping.until } : undefined;
  if (decision === 'planned') {
    const reports_state = reportedStateOf(check.state, policy);
    return { alert: { situation, reports_state, cooldown: classOf(situation) }, next: calm };
  }
  if (decision === 'held') return { held: true };
  const waiting = withEscalationStarted(check.alerts, policy, reportedStateOf(check.state, policy), now);
  if (reason === 'no_channels' && waiting !== check.alerts) return { alerts: waiting };
  // What lifts these says so itself, and has the check looked at then.
  if (reason === 'late_alerts_disabled' || reason === 'not_monitored') return {};
  if (isSilenced(policy)) return { next: afterSilence(policy, entry, now) };
  if ((reason === 'maintenance' || reason === 'remediation') && until !== undefined)
    return { next: { deadline: expectedResultAt(check, until), ...(entry.note && { note: entry.note }) } };
  if (calm) return { next: calm };
  return reason === 'cooldown' && until !== undefined ? { next: { deadline: until } } : {};
}

/** The last alert of a check that was disabled, if its channels have not received it. */
function decideClosing(due: DueAlert): TimedDecision {
  if (!due.policy.late_alerts) return {};
  const situation = timedRuleInputOf(due, 'closed');
  const { decision, reason } = decide(situation);
  if (reason === 'silenced') return { next: afterSilence(due.policy, due.entry, due.now) };
  if (decision !== 'planned') return {};
  return { alert: { situation, reports_state: 'up', cooldown: null } };
}

/** What is held back by a silence that ends is looked at then. */
function afterSilence({ silence }: Policy, { note }: Deadline, now: number): Deadline | undefined {
  const deadline = silenceRecheckAt(silence, now);
  return deadline === undefined ? undefined : { deadline, ...(note && { note }) };
}

/** Calls whom the next step of an escalation names. */
export const escalate = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  handleAlertDeadline(env, deadline, 'escalation', decideEscalation);

/** While something else than an acknowledgement holds a step back, it is looked at after so long (ms) at most. */
const LOOK_AGAIN_MS = 300_000;

/**
 * Pure: each step once a failure, by the rules that repeats pass too; no cooldown holds it back, and it starts none
 * (docs/use/escalation.md#escalation). A step that has nobody left to call is passed over.
 */
export function decideEscalation(due: DueAlert): TimedDecision {
  const { check, policy, entry, now } = due;
  const step = check.alerts.episode?.escalation?.steps ?? 0;
  const at = nextStepAt(check.alerts, policy);
  if (at === undefined) return {};
  // Its policy has changed since.
  if (now < at && !entry.note?.at_once) return { next: { deadline: at } };
  const channels = channelsOfStep(policy, step);
  // While nobody was told of the failure, nobody else is called.
  const situation = { ...timedRuleInputOf(due, 'escalation'), channels: isUnnotified(due.hold) ? 0 : channels.length };
  const { decision, reason, until } = decide(situation);
  if (decision !== 'planned' && reason !== 'no_channels') return { next: lookAgain(reason, until, now) };

  const alerts = withStepTaken(check.alerts, channels);
  if (reason === 'no_channels')
    return { alerts, next: policy.escalation[step + 1] && { deadline: now, note: { at_once: true } } };
  return {
    alerts,
    alert: { situation, reports_state: 'down', cooldown: null, channels, step },
    next: after(alerts, policy, now),
  };
}

/** Whoever takes an acknowledgement back has the step looked at. */
function lookAgain(reason: string | null, until: number | undefined, now: number): Deadline | undefined {
  if (reason === 'acknowledged') return until === undefined ? undefined : { deadline: until };
  const latest = now + LOOK_AGAIN_MS;
  return { deadline: until !== undefined && until > now ? Math.min(until, latest) : latest };
}

/** The next step at its time; behind one that came late it keeps its distance, so that not all are called at once. */
function after(alerts: CheckItem['alerts'], policy: Policy, now: number): Deadline | undefined {
  const at = nextStepAt(alerts, policy);
  if (at === undefined) return undefined;
  const steps = alerts.episode?.escalation?.steps ?? 0;
  const [taken, next] = [policy.escalation[steps - 1], policy.escalation[steps]];
  const distance = ((next?.after_seconds ?? 0) - (taken?.after_seconds ?? 0)) * 1000;
  return { deadline: Math.max(at, now + distance) };
}

/** Tells those who heard of a failure once if more fails with it by now than they were told. */
export async function sendImpactUpdate(env: Env, deadline: DueDeadline): Promise<DueDeadline[]> {
  const hasGrown = await isMoreThanTold(env, deadline);
  return handleAlertDeadline(env, deadline, 'impact', (due) => (hasGrown ? decideUpdate(due) : {}));
}

function decideUpdate(due: DueAlert): TimedDecision {
  if (!due.policy.impact_update) return {};
  const situation = timedRuleInputOf(due, 'impact');
  // The failure that was told may be over, and one that nobody was told of have begun.
  if (situation.told !== 'down' || decide(situation).decision !== 'planned') return {};
  return { alert: { situation, reports_state: 'down', cooldown: null, urgency: 'low' } };
}

/** Whether more entities fail with it than the alert said that was sent. */
async function isMoreThanTold(env: Env, { tenant_id, entity_id, check_id }: DueDeadline): Promise<boolean> {
  const { ports, keys } = env;
  const [transition, failing] = await Promise.all([
    lastTransition(env, tenant_id, check_id),
    entitiesFailingWith({ ...env, tenant: tenant_id }, entity_id),
  ]);
  const ids = transition?.alert.deliveries ?? [];
  const deliveries = await ports.table.getMany<DeliveryItem>(ids.map((id) => keys.delivery(tenant_id, id)));
  return failing.length > Math.max(0, ...deliveries.map((one) => one?.affected ?? 0));
}
