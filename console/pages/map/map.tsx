import { useMemo } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Relation } from '#console/api/records.ts';
import { useFleetRefresh } from '#console/app/fleet-refresh.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty, Loading } from '#console/parts/states.tsx';
import type { Fleet } from '#console/rules/fleet.ts';
import { MAX_ON_MAP, type MapFilter, type MapView, mapOf } from '#console/rules/relation-map.ts';
import { count, number } from '#console/rules/words.ts';
import { RelationGraph } from './graph.tsx';
import { MapFilters } from './map-filters.tsx';
import { RelationTable } from './relation-table.tsx';
import { RootCauses } from './root-causes.tsx';

export default function MapPage({ query }: PageProps) {
  const relations = useLoad<Relation[]>('/v1/relations', { all: true });
  useFleetRefresh();
  const fleet = live.fleet.value;
  return (
    <Page title="Map">
      {fleet ? (
        <Data of={relations} what="Loading the relations">
          {(found) => <MapOf fleet={fleet} relations={found} query={query} />}
        </Data>
      ) : (
        <Loading what="Loading the fleet" />
      )}
    </Page>
  );
}

type MapOfProps = { fleet: Fleet; relations: readonly Relation[]; query: URLSearchParams };

function MapOf({ fleet, relations, query }: MapOfProps) {
  const aroundId = query.get('around') ?? '';
  const [blueprint, depth] = [query.get('blueprint') ?? '', depthOf(query.get('depth'))];
  const around = fleet.has(aroundId) ? aroundId : undefined;
  const isAll = query.has('all') || blueprint !== '' || aroundId !== '';
  const view = useMemo(
    () => mapOf(fleet, relations, { blueprint, around, depth, all: isAll }),
    [fleet, relations, blueprint, around, depth, isAll],
  );
  const hasRoots = view.roots.length > 0;
  const affected = hasRoots && !isAll;
  if (relations.length === 0) {
    return (
      <Empty help="relations" title="No relations yet" icon="map">
        <p>Add a relation on the page of an entity.</p>
        <a href="#/catalog">Open the catalog</a>
      </Empty>
    );
  }
  return (
    <>
      <RootCauses fleet={fleet} view={view} />
      <MapFilters
        fleet={fleet}
        blueprint={blueprint}
        around={aroundId}
        depth={depth}
        affected={affected}
        hasRoots={hasRoots}
      />
      {aroundId !== '' && around === undefined ? (
        <Empty title={`Entity ${aroundId} not found`} icon="search" />
      ) : (
        <MapContent
          view={view}
          filter={{ blueprint, around, depth, all: isAll }}
          unaffected={affected ? fleet.size - view.rows.length : 0}
        />
      )}
    </>
  );
}

type MapContentProps = {
  view: MapView;
  filter: MapFilter;
  unaffected: number;
};

function MapContent({ view, filter, unaffected }: MapContentProps) {
  const { rows, relations, alone, hiddenRelations } = view;
  const hidden = [
    unaffected > 0 && `${count(unaffected, 'entity', 'entities')} that no root cause affects`,
    alone > 0 && `${count(alone, 'entity', 'entities')} without a relation on this map`,
    hiddenRelations > 0 && `${count(hiddenRelations, 'relation')} to entities outside the filter`,
  ].filter(Boolean);
  return (
    <>
      {rows.length === 0 && <Empty title="No relations match" icon="map" />}
      {rows.length > MAX_ON_MAP && (
        <Empty title={`${number(rows.length)} entities are too many for one map`} icon="map">
          <p>
            The map shows up to {MAX_ON_MAP}. Select {filter.blueprint ? '' : 'a blueprint or '}an entity
            {filter.depth > 1 && filter.around ? ', or fewer steps' : ''}. The table shows all of them.
          </p>
        </Empty>
      )}
      {rows.length > 0 && rows.length <= MAX_ON_MAP && <RelationGraph view={view} />}
      {hidden.length > 0 && <p class="hint use">Not shown: {hidden.join(', ')}.</p>}
      {relations.length > 0 && <RelationTable view={view} />}
    </>
  );
}

const depthOf = (text: string | null): number => (text === '2' || text === '3' ? Number(text) : 1);
