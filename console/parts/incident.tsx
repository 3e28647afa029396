import { useLoad } from '#console/api/load.ts';
import type { IncidentDetail, IncidentRecord } from '#console/api/records.ts';
import { now } from '#console/app/clock.ts';
import { live } from '#console/app/live.ts';
import { INCIDENT_WORD, incidentHref, incidentPath, lastedMs, markOf } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { StateMark } from './state-mark.tsx';
import { Time } from './time.tsx';

type Shown = Pick<IncidentRecord, 'state' | 'impact'> & Partial<Pick<IncidentDetail, 'resolves_at'>>;

/** Shows the state of an incident, with its impact until it is resolved, and when a recovered one resolves. */
export const IncidentState = ({ of }: { of: Shown }) =>
  of.resolves_at ? (
    <>
      <StateMark state="up" word="Recovered" />
      <span class="watching">
        , watching until <Time at={of.resolves_at} as="clock" />
      </span>
    </>
  ) : (
    <StateMark state={markOf(of)} word={INCIDENT_WORD[of.state]} />
  );

/** Shows the state of a listed incident. If its root cause is no longer down, the incident is read to tell whether all
 * its entities have recovered. */
export function ListedIncidentState({ of }: { of: IncidentRecord }) {
  const root = of.root_entity_id === null ? undefined : live.fleet.value?.get(of.root_entity_id);
  const canBeRecovered = of.state !== 'resolved' && root !== undefined && root.state !== 'down';
  const { data } = useLoad<IncidentDetail>(canBeRecovered ? incidentPath(of.id) : null, { about: () => true });
  return <IncidentState of={(canBeRecovered && data) || of} />;
}

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
