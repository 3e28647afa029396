import { useMemo, useState } from 'preact/hooks';
import type { ListedIncident } from '#console/api/recoveries.ts';
import { Icon } from '#console/parts/icon.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import { byName, type FleetRow, grouped, isHeading, type Line } from '#console/rules/fleet.ts';
import { incidentHref, incidentWord } from '#console/rules/incidents.ts';
import { severityRank } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';
import { RowBar, RowLatency, RowUptime } from './row-bar.tsx';

/** Makes a cell of an entity accept any line. Headings have no cells, so the line is always an entity. */
const entityCell =
  <T,>(cell: (row: FleetRow) => T) =>
  (line: Line): T =>
    cell(line as FleetRow);

const compareEntities = (compare: (a: FleetRow, b: FleetRow) => number) => (a: Line, b: Line) =>
  compare(a as FleetRow, b as FleetRow);

/** Unresolved incidents by the id of their root cause. */
export type IncidentsByRoot = ReadonlyMap<string, ListedIncident>;

const columnsOf = (incidents: IncidentsByRoot): readonly Column<Line>[] => [
  {
    head: 'State',
    cell: entityCell((row) => <StateMark state={row.state} />),
    compare: compareEntities((a, b) => severityRank(a.state) - severityRank(b.state)),
  },
  {
    head: 'Name',
    grow: true,
    cell: entityCell((row) => (
      <>
        <a class="row-link" href={entityHref(row)} dir="auto">
          {row.name}
        </a>
        {row.stale && <span class="tag">overdue</span>}
        <Why row={row} />
      </>
    )),
    compare: compareEntities((a, b) => byName(a.name, b.name)),
  },
  {
    head: 'Incident',
    onlyWide: true,
    cell: entityCell((row) => <OpenIncident incident={incidents.get(row.id)} />),
  },
  { head: 'Latency', onlyWidest: true, cell: entityCell((row) => <RowLatency row={row} />) },
  { head: 'Last 24 h', onlyWide: true, cell: entityCell((row) => <RowBar row={row} />) },
  { head: 'Uptime 30 d', onlyWidest: true, numeric: true, cell: entityCell((row) => <RowUptime row={row} />) },
  {
    head: 'Blueprint',
    onlyWidest: true,
    cell: entityCell((row) => row.blueprint_slug),
    compare: compareEntities((a, b) => byName(a.blueprint_slug, b.blueprint_slug)),
  },
  {
    head: 'For',
    numeric: true,
    cell: entityCell((row) => <Time at={row.state_since} as="short" />),
    compare: compareEntities((a, b) => (a.state_since < b.state_since ? 1 : -1)),
  },
];

const OpenIncident = ({ incident }: { incident: ListedIncident | undefined }) =>
  incident ? (
    <a href={incidentHref(incident.id)} title={incident.title}>
      {incidentWord(incident)}
    </a>
  ) : null;

/** Reason of the state. The line is present even if it is empty, so that all rows have the same height. */
const Why = ({ row }: { row: FleetRow }) => (
  <span class="why" dir="auto" title={row.error_message}>
    {row.error_message}
  </span>
);

type FleetTableProps = { label?: string; rows: readonly FleetRow[]; grouped?: boolean; incidents: IncidentsByRoot };

/** Table of the fleet. Grouped rows cannot be sorted, because the groups have their own order. */
export function FleetTable({ label = 'Entities', rows, grouped: isGrouped = false, incidents }: FleetTableProps) {
  const columns = useMemo(() => columnsOf(incidents), [incidents]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines: readonly Line[] = isGrouped ? grouped(rows, closed) : rows;
  function toggle(group: string) {
    const next = new Set(closed);
    if (!next.delete(group)) next.add(group);
    setClosed(next);
  }
  return (
    <Table
      label={label}
      rows={lines}
      columns={isGrouped ? columns.map(({ compare: _none, ...column }) => column) : columns}
      keyOf={(line) => (isHeading(line) ? `group ${line.group}` : line.id)}
      heading={(line) =>
        isHeading(line) ? (
          <button type="button" class="fold" aria-expanded={!closed.has(line.group)} onClick={() => toggle(line.group)}>
            <Icon name={closed.has(line.group) ? 'right' : 'down'} />
            {line.group}
            <span class="hint">{count(line.rows.length, 'entity', 'entities')}</span>
          </button>
        ) : undefined
      }
    />
  );
}
