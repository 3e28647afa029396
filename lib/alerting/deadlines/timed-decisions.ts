import { begun } from '#lib/alerting/decide/escalation.ts';
import { firstResultAt } from '#lib/alerting/decide/first-result.ts';
import { classOf } from '#lib/alerting/decide/quiet-rules.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { isUnsettled } from '#lib/alerting/decide/situation.ts';
import { isSilenced, type Policy } from '#lib/alerting/policy/policy.ts';
import type { Env } from '#lib/env.ts';
import { silenceLook } from '#lib/health/alerting/rules/silenced.ts';
import { announcementOf } from '#lib/health/state/announced.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Deadline } from '#lib/schedule/entries.ts';
import { actOnDeadline, type Due, situationOf, type TimedDecision } from './timed-alert.ts';

/** Compares the announced state with the present one, and alerts the channels where they differ. */
export const catchUp = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'catch_up', decideCatchUp);

/**
 * Pure: a skipped alert stays skipped, but no channel keeps a false belief (docs/CONTRACT.md#alerts). It waits for the
 * end of a cooldown, and of flapping once that was told, unless all deliveries of the last alert failed, or they went
 * out in the wrong order.
 */
export function decideCatchUp(due: Due): TimedDecision {
  const { check, policy, entry, now } = due;
  if (!check?.enabled) return decideClosing(due);
  const situation = situationOf(due, 'catch_up');
  const { decision, reason, until } = decide(situation);
  const { flapping } = situation;
  const calm = flapping && isUnsettled(situation) ? { deadline: flapping.until } : undefined;
  if (decision === 'planned') {
    const announces = announcementOf(check.state, policy);
    return { alert: { situation, announces, cooldown: classOf(situation) }, next: calm };
  }
  if (decision === 'held') return { held: true };
  const waiting = begun(check.alerts, policy, announcementOf(check.state, policy), now);
  if (reason === 'no_channels' && waiting !== check.alerts) return { alerts: waiting };
  // What lifts these says so itself, and has the check looked at then.
  if (reason === 'catch_up_off' || reason === 'not_watched') return {};
  if (isSilenced(policy)) return { next: afterSilence(policy, entry, now) };
  if ((reason === 'maintenance' || reason === 'remediation') && until !== undefined)
    return { next: { deadline: firstResultAt(check, until), ...(entry.note && { note: entry.note }) } };
  if (calm) return { next: calm };
  return reason === 'cooldown' && until !== undefined ? { next: { deadline: until } } : {};
}

/** The last alert of a check that was disabled or deleted. One that is gone has it only where that was asked for. */
function decideClosing(due: Due): TimedDecision {
  const isAsked = due.entry.note?.closing === true;
  if (!due.check && !isAsked) return {};
  const situation = { ...situationOf(due, 'closed'), ...(isAsked && { asked: true as const }) };
  const { decision, reason } = decide(situation);
  if (reason === 'silenced') return { next: afterSilence(due.policy, due.entry, due.now) };
  if (decision !== 'planned') return {};
  return { alert: { situation, announces: 'up', cooldown: null } };
}

/** What is held back by a silence that ends is looked at then. */
function afterSilence({ silence }: Policy, { note }: Deadline, now: number): Deadline | undefined {
  const deadline = silenceLook(silence, now);
  return deadline === undefined ? undefined : { deadline, ...(note && { note }) };
}
