import { type Policy, shown } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Acknowledgement, CheckItem } from '#lib/checks/check-item.ts';
import { announcedState } from '#lib/health/state/announced.ts';

/**
 * What alerting remembers of a failure once its check is in a state: it begins with down, goes on through degraded, and
 * is over when the check counts as up, or is no longer judged. Whoever was called is remembered longer, until they are
 * told of the recovery.
 */
export function withEpisode(
  alerts: CheckItem['alerts'],
  to: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
  transition_id: string,
): CheckItem['alerts'] {
  const { episode, escalated, ...rest } = alerts;
  const believed = shown(to, policy);
  if (believed === 'up' || believed === 'unknown')
    return episode ? { ...rest, ...(escalated && { escalated }) } : alerts;
  if (episode || believed !== 'down') return alerts;
  const isOwed = escalated && announcedState(alerts) !== 'up';
  return { ...rest, episode: { transition_id }, ...(isOwed && { escalated }) };
}

/** With an acknowledgement of the failure that goes on, or without one. */
export function withAcknowledgement(
  alerts: CheckItem['alerts'],
  acknowledgement: Acknowledgement | undefined,
): CheckItem['alerts'] {
  if (!alerts.episode) return alerts;
  const { acknowledgement: _before, ...episode } = alerts.episode;
  return { ...alerts, episode: { ...episode, ...(acknowledgement && { acknowledgement }) } };
}
