import type { IncidentRecord } from '#console/api/records.ts';
import { now } from '#console/app/clock.ts';
import { INCIDENT_WORD, incidentHref, lastedMs, lookOf } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { StateMark } from './state-mark.tsx';

/** Whether it is over, and until then how bad it is. */
export const IncidentState = ({ of }: { of: Pick<IncidentRecord, 'state' | 'impact'> }) => (
  <StateMark state={lookOf(of)} word={INCIDENT_WORD[of.state]} />
);

/** How long it lasts, or did. */
export const Lasted = ({ of }: { of: IncidentRecord }) => (
  <>{duration(lastedMs(of, of.resolved_at === null ? now.value : 0))}</>
);

/** What it is called, with the way there. */
export const IncidentLink = ({ of: { id, title } }: { of: Pick<IncidentRecord, 'id' | 'title'> }) => (
  <a class="row-link" href={incidentHref(id)} dir="auto">
    {title}
  </a>
);
