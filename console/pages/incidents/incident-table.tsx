import { Began, hrefOfIncident, IncidentState, Lasted } from '#console/parts/incident.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { pathTo } from '#console/rules/address.ts';
import { byName } from '#console/rules/fleet.ts';
import { checksOf, firstError, foundAt, type Incident, lastedMs, toldOf } from '#console/rules/incidents.ts';
import { severity } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';

const COLUMNS: readonly Column<Incident>[] = [
  {
    head: 'State',
    cell: (incident) => <IncidentState incident={incident} />,
    compare: (a, b) => Number(a.to !== null) - Number(b.to !== null) || severity(a.state) - severity(b.state),
  },
  {
    head: 'Incident',
    grow: true,
    cell: (incident) => (
      <>
        <a class="row-link" href={hrefOfIncident(incident)} dir="auto">
          {incident.entity.name}
        </a>
        {incident.times > 1 && <span class="tag">flapping, {incident.times} times</span>}
        <span class="why" dir="auto" title={firstError(incident)}>
          {firstError(incident)}
        </span>
      </>
    ),
    compare: (a, b) => byName(a.entity.name, b.entity.name),
  },
  { head: 'Checks', wide: true, cell: (incident) => <Checks incident={incident} /> },
  { head: 'Told', wide: true, cell: (incident) => <Told incident={incident} /> },
  {
    head: 'Began',
    wide: true,
    cell: (incident) => <Began incident={incident} />,
    compare: (a, b) => (a.from < b.from ? -1 : 1),
  },
  {
    head: 'Lasted',
    numeric: true,
    cell: (incident) => <Lasted incident={incident} />,
    compare: (a, b) => lastedMs(a, Date.now()) - lastedMs(b, Date.now()),
  },
];

function Checks({ incident }: { incident: Incident }) {
  const ids = checksOf(incident);
  if (ids.length === 0) return <span class="hint">see there</span>;
  const href = ids.length === 1 ? `#${pathTo('/checks/:id', { id: ids[0]! })}` : hrefOfIncident(incident);
  return <a href={href}>{count(ids.length, 'check')}</a>;
}

function Told({ incident }: { incident: Incident }) {
  const { deliveries, why } = toldOf(incident);
  if (deliveries > 0) return <>{count(deliveries, 'alert')}</>;
  return <span class="hint">{why ? `nobody: ${why}` : incident.transitions.length > 0 ? 'nobody' : 'see there'}</span>;
}

/** What is wrong now, and what was. */
export const IncidentTable = ({ incidents }: { incidents: readonly Incident[] }) => (
  <Table
    label="Incidents"
    rows={incidents}
    columns={COLUMNS}
    keyOf={(incident) => `${incident.entity.id} ${foundAt(incident)}`}
  />
);
