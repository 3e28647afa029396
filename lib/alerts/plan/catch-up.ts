import { canAlert } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { announcedState } from '#lib/health/state/announced.ts';
import { cooldownEnd } from '#lib/health/state/decide-alert.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { actOnDeadline, type Decision, type Situation } from './timed-alert.ts';

/** Compares the announced state with the present one, and alerts the channels where they differ. */
export const catchUp = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'catch_up', decideCatchUp);

/**
 * Pure: a skipped alert stays skipped, but no channel keeps a false belief (docs/CONTRACT.md#alerts). It waits for the
 * end of a cooldown, unless all deliveries of the last alert failed, or they went out in the wrong order.
 */
export function decideCatchUp({ check, policy, entry, now }: Situation): Decision {
  if (!canAlert(policy)) return 'end';
  const announced = announcedState(check.alerts);
  const { failed_at, misled, closing } = entry.note ?? {};

  if (!check.enabled) {
    const isDue = announced !== 'up' && (policy.catch_up || closing);
    return isDue ? { announce: { kind: 'closed', announces: 'up', starts_cooldown: false }, next: undefined } : 'end';
  }
  const { state } = check;
  if (!policy.catch_up || state === 'unknown' || (state === announced && !misled)) return 'end';
  if (state === 'up' && !policy.notify_on_recovery) return 'end';
  const free = cooldownEnd(check.alerts, policy, now);
  if (failed_at === undefined && !misled && now < free) return { later: { deadline: free } };
  return { announce: { kind: 'catch_up', announces: state, starts_cooldown: true }, next: undefined };
}
