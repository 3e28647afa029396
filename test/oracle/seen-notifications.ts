import type { AlertItem, AlertTarget } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { alertsIn, type Commit, failedIn, type Seen } from './inside.ts';

/** Returns the destination of an alert: channels with the same address are one destination. */
export const destinationOf = ({ channel_id, destination = channel_id }: AlertTarget): string => destination;

/** A notification that was sent to a destination, by an alert that was decided at `at` (epoch ms). */
export type SeenNotification = {
  says: 'down' | 'degraded' | 'up';
  at: number;
  /** Time at which its delivery failed (epoch ms). */
  failed_at?: number;
};

/** Kinds of alerts that report the state of a check. */
const STATE_ALERTS = new Set(['state_change', 'late', 'reminder', 'escalation', 'closed']);

/** Returns the alerts of a commit that report the state of a check. */
export const stateAlertsIn = (commit: Commit): AlertItem[] =>
  alertsIn(commit).filter(({ kind }) => STATE_ALERTS.has(kind));

/** Tracks the notifications to each destination by check and entity, latest first. Pass each commit to `take`. */
export function trackNotifications(seen: Pick<Seen, 'table'>) {
  /** Notifications by check or entity, and by destination. */
  const notifications = new Map<string, Map<string, SeenNotification[]>>();
  const failures = failedIn(seen);
  return {
    take: (commit: Commit): void => {
      // An alert about an abandoned remediation also reports that the check is still down.
      const alerts = alertsIn(commit).filter(({ kind }) => STATE_ALERTS.has(kind) || kind === 'remediation_failed');
      for (const alert of alerts) {
        const says = alert.reports_state;
        if (says === null) continue;
        const about = [alert.check_id, alert.entity_id, ...(alert.root ? [alert.root.entity_id] : [])];
        for (const target of alert.to) {
          const failure = failures.get(target.delivery_id);
          const one = { says, at: timeOf(alert.id), ...(failure && { failed_at: Date.parse(failure.updated_at) }) };
          for (const id of about) {
            const byDestination = notifications.get(id) ?? new Map<string, SeenNotification[]>();
            notifications.set(
              id,
              byDestination.set(destinationOf(target), [one, ...(byDestination.get(destinationOf(target)) ?? [])]),
            );
          }
        }
      }
    },
    /** Returns the notifications about a check, or an entity that can be a root cause. */
    of: (id: string, destination: string): readonly SeenNotification[] => notifications.get(id)?.get(destination) ?? [],
    /** Returns the notified destinations, including removed channels. */
    destinationsOf: (id: string): readonly string[] => [...(notifications.get(id)?.keys() ?? [])],
  };
}
