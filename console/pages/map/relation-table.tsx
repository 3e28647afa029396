import type { Relation } from '#console/api/records.ts';
import { StateShape } from '#console/parts/state-mark.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import { byName, type FleetRow } from '#console/rules/fleet.ts';
import type { MapView } from '#console/rules/relation-map.ts';
import { STATE_WORD } from '#console/rules/states.ts';

type Line = { id: string; type: string; from: FleetRow; to: FleetRow };

/** Table with the content of the map: unhealthy entities first. */
export function RelationTable({ view: { rows, relations } }: { view: MapView }) {
  const ranked = new Map(rows.map((row, i) => [row.id, { row, i }]));
  const lines = relations
    .toSorted((a, b) => rank(a) - rank(b))
    .map(
      ({ id, relation_type, from_entity_id, to_entity_id }): Line => ({
        id,
        type: relation_type,
        from: ranked.get(from_entity_id)!.row,
        to: ranked.get(to_entity_id)!.row,
      }),
    );
  function rank({ from_entity_id, to_entity_id }: Relation): number {
    return Math.min(ranked.get(to_entity_id)!.i, ranked.get(from_entity_id)!.i);
  }
  return <Table label="Relations" rows={lines} keyOf={({ id }) => id} columns={COLUMNS} />;
}

const COLUMNS: readonly Column<Line>[] = [
  {
    head: 'Entity',
    grow: true,
    cell: ({ from }) => <End row={from} />,
    compare: (a, b) => byName(a.from.name, b.from.name),
  },
  { head: 'Relation', cell: ({ type }) => <code>{type}</code>, compare: (a, b) => byName(a.type, b.type) },
  { head: 'Upstream', cell: ({ to }) => <End row={to} />, compare: (a, b) => byName(a.to.name, b.to.name) },
];

const End = ({ row }: { row: FleetRow }) => (
  <span class={`end ${row.state}`}>
    <StateShape state={row.state} />
    <span class="unseen">{STATE_WORD[row.state]}</span>
    <a class="row-link" href={entityHref(row)} dir="auto">
      {row.name}
    </a>
  </span>
);
