import { useState } from 'preact/hooks';
import { Icon } from '#console/parts/icon.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import { byName, type FleetRow, grouped, isHeading, type Line } from '#console/rules/fleet.ts';
import { severity } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';
import { RowBar } from './row-bar.tsx';

/** The table renders headings itself, so a cell always belongs to an entity. */
const of =
  <T,>(cell: (row: FleetRow) => T) =>
  (line: Line): T =>
    cell(line as FleetRow);

const compared = (compare: (a: FleetRow, b: FleetRow) => number) => (a: Line, b: Line) =>
  compare(a as FleetRow, b as FleetRow);

const COLUMNS: readonly Column<Line>[] = [
  {
    head: 'State',
    cell: of((row) => <StateMark state={row.state} />),
    compare: compared((a, b) => severity(a.state) - severity(b.state)),
  },
  {
    head: 'Name',
    grow: true,
    cell: of((row) => (
      <>
        <a class="row-link" href={entityHref(row)} dir="auto">
          {row.name}
        </a>
        {row.stale && <span class="tag">overdue</span>}
        <Why row={row} />
      </>
    )),
    compare: compared((a, b) => byName(a.name, b.name)),
  },
  { head: 'Last 24 h', wide: true, cell: of((row) => <RowBar row={row} />) },
  {
    head: 'Blueprint',
    wide: true,
    cell: of((row) => row.blueprint_slug),
    compare: compared((a, b) => byName(a.blueprint_slug, b.blueprint_slug)),
  },
  {
    head: 'For',
    numeric: true,
    cell: of((row) => <Time at={row.state_since} as="short" />),
    compare: compared((a, b) => (a.state_since < b.state_since ? 1 : -1)),
  },
];

/** Reason of the state. Every row keeps the line, so that all rows have one height. */
const Why = ({ row }: { row: FleetRow }) => (
  <span class="why" dir="auto" title={row.error_message}>
    {row.error_message}
  </span>
);

/** Table of the fleet. Grouped rows cannot be sorted, because the groups have their own order. */
export function FleetTable({ rows, grouped: isGrouped }: { rows: readonly FleetRow[]; grouped: boolean }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines: readonly Line[] = isGrouped ? grouped(rows, closed) : rows;
  function toggle(group: string) {
    const next = new Set(closed);
    if (!next.delete(group)) next.add(group);
    setClosed(next);
  }
  return (
    <Table
      label="Entities"
      rows={lines}
      columns={isGrouped ? COLUMNS.map(({ compare: _none, ...column }) => column) : COLUMNS}
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
