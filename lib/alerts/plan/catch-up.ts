import { canAlert } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { announcedState } from '#lib/health/state/announced.ts';
import { cooldownEnd } from '#lib/health/state/decide-alert.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { actOnDeadline, type Decision, type Situation } from './timed-alert.ts';

/** Compares what the channels believe with what is, and tells them if it differs. */
export const catchUp = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'catch_up', decideCatchUp);

/**
 * Pure: an alert that was skipped is skipped, but nobody is left with a false belief (docs/CONTRACT.md#alerts).
 * Waits for the end of a cooldown, unless a failure of all deliveries, or of their order, is being made good.
 */
export function decideCatchUp({ check, policy, entry, now }: Situation): Decision {
  if (!canAlert(policy)) return 'end';
  const told = announcedState(check.alerts);
  const { failed_at, misled, closing } = entry.note ?? {};

  if (!check.enabled) {
    const isDue = told !== 'up' && (policy.catch_up || closing);
    return isDue ? { tell: { kind: 'closed', announces: 'up', starts_cooldown: false }, next: undefined } : 'end';
  }
  const { state } = check;
  if (!policy.catch_up || state === 'unknown' || (state === told && !misled)) return 'end';
  if (state === 'up' && !policy.notify_on_recovery) return 'end';
  const free = cooldownEnd(check.alerts, policy, now);
  if (failed_at === undefined && !misled && now < free) return { later: { deadline: free } };
  return { tell: { kind: 'catch_up', announces: state, starts_cooldown: true }, next: undefined };
}
