import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Blueprint } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { useSearchQuery } from '#console/app/search-query.ts';
import { refusal } from '#console/app/session.ts';
import { EntityDialog } from '#console/pages/entity/entity-form.tsx';
import { Button } from '#console/parts/button.tsx';
import { FieldValue } from '#console/parts/field-value.tsx';
import { labelMany } from '#console/parts/label-many.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { blueprintHref, entityHref, entityPath, rowsWithWords, valueText } from '#console/rules/catalog.ts';
import { byName, type FleetRow } from '#console/rules/fleet.ts';
import { severityRank } from '#console/rules/states.ts';

const MAX_FIELD_COLUMNS = 4;

export function Entities({ blueprint, rows }: { blueprint: Blueprint; rows: readonly FleetRow[] }) {
  const [words, setWords] = useSearchQuery();
  const [isNew, setNew] = useState(false);
  const selection = useSelection();
  const why = refusal('write');
  const shown = useMemo(() => rowsWithWords(rows, words), [rows, words]);
  const columns = useMemo(() => columnsOf(blueprint), [blueprint]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const add = (
    <Button icon="add" kind="main" why={why} onClick={() => setNew(true)}>
      New entity
    </Button>
  );
  const hiddenFields = blueprint.fields.length - MAX_FIELD_COLUMNS;
  return (
    <>
      {rows.length === 0 ? (
        <Empty help="entities" title="No entities yet" icon="catalog">
          {add}
          <a href={blueprintHref(blueprint.slug, 'import')}>Paste a table</a>
        </Empty>
      ) : (
        <>
          <div class="filters">
            <input
              type="search"
              class="search"
              aria-label="Search by name, slug or value"
              placeholder="Search"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
            {add}
            {hiddenFields > 0 && (
              <span class="hint">
                This table has the first {MAX_FIELD_COLUMNS} fields. The page of an entity shows all.
              </span>
            )}
          </div>
          {shown.length > 0 ? (
            <Table label="Entities" rows={shown} columns={columns} keyOf={({ id }) => id} selection={selection} />
          ) : (
            <Empty title="No matches" icon="search">
              <Button onClick={() => setWords('')}>Show all</Button>
            </Empty>
          )}
        </>
      )}
      <BulkBar
        selection={selection}
        noun={['entity', 'entities']}
        nameOf={(id) => byId.get(id)?.name ?? id}
        actions={[
          labelMany(why, (id) => entityPath(byId.get(id)!)),
          {
            name: 'Delete',
            kind: 'danger',
            why,
            consequence:
              'Their relations and their checks are deleted too, with results, history, policies and channels.',
            work: (id) => remove(byId.get(id)),
          },
        ]}
        onDone={() => void live.refresh()}
      />
      {isNew && <EntityDialog blueprint={blueprint} onSaved={() => setNew(false)} onClose={() => setNew(false)} />}
    </>
  );
}

/** Deletes an entity, unless another user has already deleted it. */
const remove = async (row: FleetRow | undefined): Promise<void> => {
  if (row) await call('DELETE', entityPath(row));
};

const columnsOf = ({ fields }: Blueprint): Column<FleetRow>[] => [
  {
    head: 'State',
    cell: ({ state }) => <StateMark state={state} />,
    compare: (a, b) => severityRank(a.state) - severityRank(b.state),
  },
  {
    head: 'Name',
    grow: true,
    cell: (row) => (
      <a class="row-link" href={entityHref(row)} dir="auto">
        {row.name}
      </a>
    ),
    compare: (a, b) => byName(a.name, b.name),
  },
  {
    head: 'Slug',
    onlyWide: true,
    cell: ({ slug }) => <code class="cut">{slug}</code>,
    compare: (a, b) => byName(a.slug, b.slug),
  },
  ...fields.slice(0, MAX_FIELD_COLUMNS).map(
    ({ name, field_type }): Column<FleetRow> => ({
      head: name,
      onlyWide: true,
      numeric: field_type === 'number',
      cell: ({ fields: values }) => (
        <span class="cut" title={valueText(values[name])}>
          <FieldValue value={values[name]} />
        </span>
      ),
      compare:
        field_type === 'number'
          ? (a, b) => byNumber(a.fields[name], b.fields[name])
          : (a, b) => byName(valueText(a.fields[name]), valueText(b.fields[name])),
    }),
  ),
];

function byNumber(a: unknown, b: unknown): number {
  const [x, y] = [a, b].map((value) => (typeof value === 'number' ? value : Number.NEGATIVE_INFINITY));
  return x === y ? 0 : x! - y!;
}
