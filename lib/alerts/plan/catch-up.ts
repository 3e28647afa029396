import { canAlert } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { silenceLook } from '#lib/health/alerting/effective-policy.ts';
import { announcedState, announcementOf } from '#lib/health/state/announced.ts';
import { cooldownEnd, urgencyOf } from '#lib/health/state/decide-alert.ts';
import { isFlapping, toldAgainAt } from '#lib/health/state/flapping.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { actOnDeadline, type Decision, type Situation } from './timed-alert.ts';

/** Compares the announced state with the present one, and alerts the channels where they differ. */
export const catchUp = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'catch_up', decideCatchUp);

/**
 * Pure: a skipped alert stays skipped, but no channel keeps a false belief (docs/CONTRACT.md#alerts). It waits for the
 * end of a cooldown, and of flapping once that was told, unless all deliveries of the last alert failed, or they went
 * out in the wrong order.
 */
export function decideCatchUp({ check, policy, entry, now }: Situation): Decision {
  const silentUntil = policy.silenced ? silenceLook(policy, now) : undefined;
  if (silentUntil !== undefined) return { later: { deadline: silentUntil, ...(entry.note && { note: entry.note }) } };
  if (!canAlert(policy)) return 'end';
  const announced = announcedState(check.alerts);
  const { failed_at, misled, closing } = entry.note ?? {};

  if (!check.enabled) {
    const isDue = announced !== 'up' && (policy.catch_up || closing);
    return isDue ? { announce: { kind: 'closed', announces: 'up', cooldown: null }, next: undefined } : 'end';
  }
  const { alerts, state } = check;
  if (!policy.catch_up || state === 'unknown') return 'end';
  const announces = announcementOf(state, policy);
  const urgency = urgencyOf(announced, announces);
  const isUrgent = failed_at !== undefined || misled;

  const calmAt = toldAgainAt(alerts, policy);
  const calm = calmAt !== undefined && isFlapping(alerts, now) ? { deadline: calmAt } : undefined;
  if (calm && !isUrgent) return { later: calm };
  const isPromised = calmAt !== undefined && !calm;
  const isDue = announces !== announced || misled || isPromised;
  if (!isDue || (announces === 'up' && !policy.notify_on_recovery)) return calm ? { later: calm } : 'end';

  const free = cooldownEnd(alerts, policy, urgency, now);
  if (!isUrgent && now < free) return { later: { deadline: free } };
  return { announce: { kind: 'catch_up', announces, cooldown: urgency }, next: calm };
}
