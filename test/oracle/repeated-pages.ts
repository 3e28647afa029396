import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { holdIn } from './holds-seen.ts';
import { type Commit, failedIn, type Inside } from './inside.ts';
import { skewOf } from './rules.ts';
import { destinationOf, stateAlertsIn } from './seen-notifications.ts';

/** Time after a page in which no other alert of the same incident pages (ms). */
const FOLD_MS = 300_000;

/**
 * Promise: an incident does not page twice within five minutes: of the alerts that a failure and its downstream
 * failures send to a destination, the first one is high, and others soon after it are low. A failed alert does not
 * count as a page: the page before it remains the last. An alert that is new to some of its destinations is high for
 * all of them. An entity without dependents alerts each time that it fails.
 */
export function checkRepeatedPages(inside: Inside): string[] {
  const { seen } = inside;
  const failed = failedIn(seen);
  const skew = skewOf(inside);
  /** Last page, by the entity that it was about and by destination. */
  const last = new Map<string, AlertItem>();
  /** Whether a commit decides an alert that a maintenance window held: it may page soon after another page. */
  const isReleased = ({ changes }: Commit): boolean =>
    changes.some((change) => holdIn(change)?.before?.note?.held?.reason === 'maintenance');
  return seen.commits.flatMap((commit) =>
    stateAlertsIn(commit)
      .filter(({ reports_state, shares_incident }) => reports_state === 'down' && shares_incident)
      .flatMap((alert) => {
        const { id, kind, entity_id, incident_id, root, urgency, to } = alert;
        const about = root?.entity_id ?? entity_id;
        const isPage = kind === 'state_change' && urgency === 'high';
        const before = to.map((target) => last.get(`${about} ${destinationOf(target)}`));
        if (isPage)
          for (const target of to)
            if (!failed.has(target.delivery_id)) last.set(`${about} ${destinationOf(target)}`, alert);
        const isSoon = (one: AlertItem | undefined): boolean =>
          one?.incident_id === incident_id && timeOf(id) - timeOf(one!.id) < FOLD_MS - skew;
        if (!isPage || isReleased(commit) || !before.every(isSoon)) return [];
        return [`alerts ${id} and ${before[0]!.id} of incident ${incident_id} both paged ${destinationOf(to[0]!)}`];
      }),
  );
}
