import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { holdIn } from './holds-seen.ts';
import { type Commit, failedIn, type Inside } from './inside.ts';
import { skewOf } from './rules.ts';
import { placeOf, tellingIn } from './seen-notifications.ts';

/** So long (ms) after it woke somebody nothing else of an incident does. */
const FOLD_MS = 300_000;

/**
 * An incident wakes nobody twice within five minutes: of the alerts that a failure and all that follows from it bring
 * to a destination, the first one is high, and what comes soon after it low. One that failed woke nobody, and
 * takes nothing from one that arrived before it. An alert that is new to some of its destinations is high for all of
 * them. What nothing depends on alerts each time that it fails.
 */
export function checkPages(inside: Inside): string[] {
  const { seen } = inside;
  const failed = failedIn(seen);
  const skew = skewOf(inside);
  /** Alerts that woke somebody, by entity that they were about and where they went. */
  const last = new Map<string, AlertItem>();
  /** What a window held is told anew at its end. */
  const isReleased = ({ changes }: Commit): boolean =>
    changes.some((change) => holdIn(change)?.before?.note?.held?.reason === 'maintenance');
  return seen.commits.flatMap((commit) =>
    tellingIn(commit)
      .filter(({ reports_state, with_others }) => reports_state === 'down' && with_others)
      .flatMap((alert) => {
        const { id, kind, entity_id, incident_id, root, urgency, to } = alert;
        const about = root?.entity_id ?? entity_id;
        const isPage = kind === 'state_change' && urgency === 'high';
        const before = to.map((target) => last.get(`${about} ${placeOf(target)}`));
        if (isPage)
          for (const target of to) if (!failed.has(target.delivery_id)) last.set(`${about} ${placeOf(target)}`, alert);
        const isSoon = (one: AlertItem | undefined): boolean =>
          one?.incident_id === incident_id && timeOf(id) - timeOf(one!.id) < FOLD_MS - skew;
        if (!isPage || isReleased(commit) || !before.every(isSoon)) return [];
        return [`${id} and ${before[0]!.id} of ${incident_id} both woke ${placeOf(to[0]!)}`];
      }),
  );
}
