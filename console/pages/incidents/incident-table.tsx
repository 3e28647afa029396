import type { IncidentRecord } from '#console/api/records.ts';
import { type ListedIncident, useRecoveries } from '#console/api/recoveries.ts';
import { IncidentDuration, IncidentLink, IncidentState, WatchedUntil } from '#console/parts/incident.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { byName } from '#console/rules/fleet.ts';
import { compareIncidents, lastedMs } from '#console/rules/incidents.ts';

const COLUMNS: readonly Column<ListedIncident>[] = [
  { head: 'State', cell: (incident) => <IncidentState of={incident} />, compare: compareIncidents },
  {
    head: 'Incident',
    grow: true,
    cell: (incident) => (
      <>
        <IncidentLink of={incident} />
        {incident.origin === 'manual' && <span class="tag">manual</span>}
        <span class="why">
          <WatchedUntil of={incident} />
          {!incident.resolves_at && (
            <span class="narrow">
              <Time at={incident.started_at} as="full" />
            </span>
          )}
        </span>
      </>
    ),
    compare: (a, b) => byName(a.title, b.title),
  },
  { head: 'Impact', onlyWide: true, cell: ({ impact }) => impact, compare: (a, b) => byName(a.impact, b.impact) },
  {
    head: 'Acknowledged by',
    onlyWide: true,
    cell: ({ acknowledged_by: by, state }) =>
      by ? <bdi>{by}</bdi> : <span class="hint">{state === 'open' ? 'not yet' : '–'}</span>,
  },
  {
    head: 'Started',
    onlyWide: true,
    cell: ({ started_at }) => <Time at={started_at} as="full" />,
    compare: (a, b) => (a.started_at < b.started_at ? -1 : 1),
  },
  {
    head: 'Duration',
    numeric: true,
    cell: (incident) => <IncidentDuration of={incident} />,
    compare: (a, b) => lastedMs(a, Date.now()) - lastedMs(b, Date.now()),
  },
];

/** Table of incidents, in the given order until the user sorts it. */
export const IncidentTable = ({ incidents }: { incidents: readonly IncidentRecord[] }) => (
  <Table label="Incidents" rows={useRecoveries(incidents)} columns={COLUMNS} keyOf={({ id }) => id} />
);
