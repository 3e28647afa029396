import { now } from '#console/app/clock.ts';
import { pathTo } from '#console/rules/address.ts';
import { foundAt, type Incident, lastedMs } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { StateMark } from './state-mark.tsx';
import { Time } from './time.tsx';

/** The page of what an entity had at a moment. @param at ISO 8601 */
export const incidentHref = (entity: string, at: string): string =>
  `#${pathTo('/incidents/:entity/:at', { entity, at })}`;

export const hrefOfIncident = (incident: Incident): string => incidentHref(incident.entity.id, foundAt(incident));

/** What it is now, or how it ended. */
export const IncidentState = ({ incident: { to, state } }: { incident: Incident }) => {
  if (to === null) return <StateMark state={state} />;
  return <StateMark state={state} word={state === 'up' ? 'Over' : 'Not watched'} />;
};

/** When it began, as far as that is known. */
export const Began = ({ incident: { from, isCut } }: { incident: Incident }) => (
  <>
    {isCut && 'before '}
    <Time at={from} as="full" />
  </>
);

/** How long it lasts, or did. */
export const Lasted = ({ incident }: { incident: Incident }) => {
  const ms = lastedMs(incident, incident.to === null ? now.value : 0);
  return (
    <>
      {incident.isCut && 'over '}
      {duration(ms)}
    </>
  );
};
