import { canAlert } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { actOnDeadline, type Decision, type Situation } from './timed-alert.ts';

/** Reminds the channels that the check is still down. */
export const repeatAlert = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'repeat', decideRepeat);

/**
 * Pure: repeats come every N seconds from the transition to down, also when that one's own alert was skipped by the
 * cooldown; they ignore the cooldown and start none, and a silenced policy stops them (docs/CONTRACT.md#alerts).
 */
export function decideRepeat({ check, policy, now }: Situation): Decision {
  const interval = policy.repeat_interval_seconds * 1000;
  if (check.state !== 'down' || interval === 0) return 'end';
  const next = { deadline: nextRepeat(Date.parse(check.state_since), interval, now) };
  if (!canAlert(policy)) return { later: next };
  return { announce: { kind: 'repeat', announces: 'down', cooldown: null }, next };
}

/** The first repeat after `now` of a check that is down since `since`; all in epoch ms. */
export const nextRepeat = (since: number, interval: number, now: number): number =>
  since + (Math.floor((now - since) / interval) + 1) * interval;
