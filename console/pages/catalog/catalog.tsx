import { useLoad } from '#console/api/load.ts';
import type { Blueprint } from '#console/api/records.ts';
import { useFleetRefresh } from '#console/app/fleet-refresh.ts';
import { live } from '#console/app/live.ts';
import { go, newRecordDialog } from '#console/app/router.ts';
import { me, refusal } from '#console/app/session.ts';
import { EntityDialog } from '#console/pages/entity/entity-form.tsx';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { blueprintHref, entityHref } from '#console/rules/catalog.ts';
import { byName, type Counts, countsOf, type FleetRow } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { count, number } from '#console/rules/words.ts';
import { BlueprintDialog } from './blueprint-form.tsx';

export default function CatalogPage() {
  const blueprints = useLoad<Blueprint[]>('/v1/blueprints', { all: true });
  useFleetRefresh();
  const limit = me.value?.blueprint_limit;
  const full =
    limit !== undefined && (blueprints.data?.length ?? 0) >= limit
      ? `The account can have up to ${count(limit, 'blueprint')}. Delete one, or ask for a higher limit.`
      : undefined;
  const why = refusal('write') ?? full;
  const newBlueprint = newRecordDialog('blueprint', why);
  const newEntity = newRecordDialog('entity', refusal('write'));
  const defaultBlueprint = blueprints.data?.find(({ is_default }) => is_default) ?? blueprints.data?.[0];
  return (
    <Page
      title="Catalog"
      actions={
        <Button icon="add" kind="main" why={why} onClick={newBlueprint.open}>
          New blueprint
        </Button>
      }
    >
      <Data of={blueprints}>
        {(found) =>
          found.length === 0 ? (
            <Empty help="catalog" title="No blueprints yet" icon="catalog">
              <p>A blueprint defines a kind of entity, such as a service, and its fields.</p>
            </Empty>
          ) : (
            <>
              <p class="hint use">
                {limit === undefined ? number(found.length) : `${number(found.length)} of ${number(limit)}`} blueprints,{' '}
                {count(live.fleet.value?.size ?? 0, 'entity', 'entities')}
              </p>
              <Table label="Blueprints" rows={found} keyOf={({ slug }) => slug} columns={columnsOf(countsBySlug())} />
            </>
          )
        }
      </Data>
      {newBlueprint.isOpen && (
        <BlueprintDialog
          onSaved={({ slug }) => {
            newBlueprint.close();
            go(blueprintHref(slug).slice(1));
          }}
          onClose={newBlueprint.close}
        />
      )}
      {newEntity.isOpen && defaultBlueprint && (
        <EntityDialog
          blueprint={defaultBlueprint}
          onSaved={(saved) => {
            newEntity.close();
            go(entityHref(saved).slice(1));
          }}
          onClose={newEntity.close}
        />
      )}
    </Page>
  );
}

function countsBySlug(): ReadonlyMap<string, Counts> | undefined {
  const fleet = live.fleet.value;
  if (!fleet) return undefined;
  const rows = Map.groupBy(fleet.values(), (row: FleetRow) => row.blueprint_slug);
  return new Map([...rows].map(([slug, of]) => [slug, countsOf(of)]));
}

function columnsOf(counts: ReadonlyMap<string, Counts> | undefined): Column<Blueprint>[] {
  const total = ({ slug }: Blueprint) => counts?.get(slug)?.total ?? 0;
  return [
    {
      head: 'Blueprint',
      grow: true,
      cell: ({ slug, name, description, is_default }) => (
        <>
          <a class="row-link" href={blueprintHref(slug)} dir="auto">
            {name}
          </a>
          {is_default && <span class="tag">default</span>}
          <span class="why" dir="auto">
            {description}
          </span>
        </>
      ),
      compare: (a, b) => byName(a.name, b.name),
    },
    { head: 'Slug', onlyWide: true, cell: ({ slug }) => <code>{slug}</code> },
    { head: 'Fields', onlyWide: true, numeric: true, cell: ({ fields }) => number(fields.length) },
    { head: 'State', cell: ({ slug }) => <Worst counts={counts?.get(slug)} /> },
    {
      head: 'Entities',
      numeric: true,
      cell: (one) =>
        counts ? (
          <>
            {number(total(one))}
            <span class="hint"> of {number(me.value?.entity_limit_per_bp ?? 0)}</span>
          </>
        ) : (
          '…'
        ),
      compare: (a, b) => total(a) - total(b),
    },
  ];
}

function Worst({ counts }: { counts: Counts | undefined }) {
  const worst = BY_SEVERITY.find((state) => (counts?.[state] ?? 0) > 0);
  if (!counts || !worst) return <span class="hint">–</span>;
  return <StateMark state={worst} word={`${number(counts[worst])} ${STATE_WORD[worst].toLowerCase()}`} />;
}
