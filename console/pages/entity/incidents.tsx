import { useLoad } from '#console/api/load.ts';
import type { Entity, IncidentRecord } from '#console/api/records.ts';
import { useRecoveries } from '#console/api/recoveries.ts';
import { IncidentLink, IncidentState, WatchedUntil } from '#console/parts/incident.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { entityIncidentsHref } from '#console/rules/incidents.ts';

const MAX_INCIDENTS = 5;
const NONE: readonly IncidentRecord[] = [];

export function Incidents({ entity }: { entity: Entity }) {
  const incidents = useLoad<IncidentRecord[]>(
    `/v1/incidents?entity_id=${encodeURIComponent(entity.id)}&limit=${MAX_INCIDENTS}`,
    {
      about: ({ entity_id }) => entity_id === entity.id,
    },
  );
  const listed = useRecoveries(incidents.data ?? NONE);
  return (
    <Section title="Incidents">
      <Data of={incidents} what="Loading the incidents">
        {(found) =>
          found.length === 0 ? (
            <p class="hint">No incidents.</p>
          ) : (
            <>
              <ul class="incident-checks">
                {listed.map((incident) => (
                  <li key={incident.id}>
                    <IncidentState of={incident} />
                    <IncidentLink of={incident} />
                    <span class="hint">
                      {incident.resolves_at ? (
                        <WatchedUntil of={incident} />
                      ) : (
                        <Time at={incident.started_at} as="full" />
                      )}
                    </span>
                  </li>
                ))}
              </ul>
              <p class="more">
                <a href={entityIncidentsHref(entity.id)}>Show all incidents</a>
              </p>
            </>
          )
        }
      </Data>
    </Section>
  );
}
