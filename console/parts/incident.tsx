import type { IncidentRecord } from '#console/api/records.ts';
import { now } from '#console/app/clock.ts';
import { INCIDENT_WORD, incidentHref, lastedMs, markOf } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { StateMark } from './state-mark.tsx';

/** Shows the state of an incident, with its impact until it is resolved. */
export const IncidentState = ({ of }: { of: Pick<IncidentRecord, 'state' | 'impact'> }) => (
  <StateMark state={markOf(of)} word={INCIDENT_WORD[of.state]} />
);

/** Duration of an incident. */
export const IncidentDuration = ({ of }: { of: IncidentRecord }) => (
  <>{duration(lastedMs(of, of.resolved_at === null ? now.value : 0))}</>
);

/** Link to an incident. */
export const IncidentLink = ({ of: { id, title } }: { of: Pick<IncidentRecord, 'id' | 'title'> }) => (
  <a class="row-link" href={incidentHref(id)} dir="auto">
    {title}
  </a>
);
