import type { AlertItem, AlertTarget } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { alertsIn, type Commit, failedIn, type Seen } from './inside.ts';

/** Where an alert went: channels that lead to the same place are one destination. */
export const placeOf = ({ channel_id, destination = channel_id }: AlertTarget): string => destination;

/** What one destination was told of something, by an alert that was decided at `at` (epoch ms). */
export type Heard = {
  says: 'down' | 'degraded' | 'up';
  at: number;
  /** When it turned out that it could not be delivered (epoch ms). */
  failed_at?: number;
};

/** Kinds that say how a check stands. */
const TELLS = new Set(['state_change', 'late', 'reminder', 'escalation', 'closed']);

/** The alerts of a commit that say how a check stands. */
export const tellingIn = (commit: Commit): AlertItem[] => alertsIn(commit).filter(({ kind }) => TELLS.has(kind));

/** What each destination was told of each check and entity, as commits bring it: the latest first. */
export function beliefsSeen(seen: Pick<Seen, 'table'>) {
  /** By the check or entity, and by the destination. */
  const heard = new Map<string, Map<string, Heard[]>>();
  const failures = failedIn(seen);
  return {
    take: (commit: Commit): void => {
      // Whoever reads that a repair did not help knows that it is still down.
      const telling = alertsIn(commit).filter(({ kind }) => TELLS.has(kind) || kind === 'remediation_failed');
      for (const alert of telling) {
        const says = alert.reports_state;
        if (says === null) continue;
        const about = [alert.check_id, alert.entity_id, ...(alert.root ? [alert.root.entity_id] : [])];
        for (const target of alert.to) {
          const failure = failures.get(target.delivery_id);
          const one = { says, at: timeOf(alert.id), ...(failure && { failed_at: Date.parse(failure.updated_at) }) };
          for (const id of about) {
            const byPlace = heard.get(id) ?? new Map<string, Heard[]>();
            heard.set(id, byPlace.set(placeOf(target), [one, ...(byPlace.get(placeOf(target)) ?? [])]));
          }
        }
      }
    },
    /** Of a check or an entity, which may be named as a cause. */
    of: (id: string, place: string): readonly Heard[] => heard.get(id)?.get(place) ?? [],
    /** Whoever was told of it, also where that is no channel of it any more. */
    placesOf: (id: string): readonly string[] => [...(heard.get(id)?.keys() ?? [])],
  };
}
