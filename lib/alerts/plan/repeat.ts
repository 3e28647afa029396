import { actOnDeadline, type Due, situationOf, type TimedDecision } from '#lib/alerting/deadlines/timed-alert.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';

/** Reminds the channels that the check is still down. */
export const repeatAlert = (env: Env, deadline: DueDeadline): Promise<DueDeadline[]> =>
  actOnDeadline(env, deadline, 'repeat', decideRepeat);

/**
 * Pure: repeats come every N seconds from the transition to down, also when that one's own alert was skipped by the
 * cooldown; they ignore the cooldown and start none, and a silenced policy stops them (docs/CONTRACT.md#alerts).
 */
export function decideRepeat(due: Due): TimedDecision {
  const { check, policy, now } = due;
  if (!check) return {};
  const situation = situationOf(due, 'repeat');
  const { decision, reason, until } = decide(situation);
  if (reason === 'repeats_off' || reason === 'not_down') return {};
  // One that maintenance holds back is due when that is over.
  if (reason === 'maintenance' && until !== undefined) return { next: { deadline: until } };
  const next = { deadline: nextRepeat(Date.parse(check.state_since), policy.repeat_interval_seconds * 1000, now) };
  return decision === 'planned' ? { alert: { situation, announces: 'down', cooldown: null }, next } : { next };
}

/** The first repeat after `now` of a check that is down since `since`; all in epoch ms. */
export const nextRepeat = (since: number, interval: number, now: number): number =>
  since + (Math.floor((now - since) / interval) + 1) * interval;
