import type { IncidentRecord } from '#console/api/records.ts';
import type { ListedIncident } from '#console/api/recoveries.ts';
import { now } from '#console/app/clock.ts';
import { incidentHref, incidentWord, lastedMs, markOf } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { StateMark } from './state-mark.tsx';
import { Time } from './time.tsx';

/** Shows the state of an incident, with its impact until its entities have recovered. */
export const IncidentState = ({ of }: { of: ListedIncident }) => (
  <StateMark state={of.resolves_at ? 'up' : markOf(of)} word={incidentWord(of)} />
);

/** Shows when a recovered incident resolves: `watching until 12:34:56`. */
export const WatchedUntil = ({ of: { resolves_at } }: { of: Pick<ListedIncident, 'resolves_at'> }) =>
  resolves_at ? (
    <>
      watching until <Time at={resolves_at} as="clock" />
    </>
  ) : null;

export const IncidentDuration = ({ of }: { of: IncidentRecord }) => (
  <>{duration(lastedMs(of, of.resolved_at === null ? now.value : 0))}</>
);

export const IncidentLink = ({ of: { id, title } }: { of: Pick<IncidentRecord, 'id' | 'title'> }) => (
  <a class="row-link" href={incidentHref(id)} dir="auto">
    {title}
  </a>
);
