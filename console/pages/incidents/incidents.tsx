import { useMemo } from 'preact/hooks';
import { useLiveFeed } from '#console/api/live-feed.ts';
import type { Transition } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { incidentsOf, withRunning } from '#console/rules/incidents.ts';
import { IncidentFilters } from './incident-filters.tsx';
import { IncidentTable } from './incident-table.tsx';

const FEED = '/v1/status/transitions';
const PAGE = '100';

/** What is wrong now, and what was: each time that something was not well, as one. */
export default function IncidentsPage({ query }: PageProps) {
  const [entity, state, since, until] = ['entity', 'state', 'since', 'until'].map((name) => query.get(name) ?? '');
  const asked = Object.entries({ limit: PAGE, entity_id: entity, since, until }).filter(
    (pair): pair is [string, string] => Boolean(pair[1]),
  );
  const feed = useLiveFeed<Transition>(
    `${FEED}?${new URLSearchParams(asked)}`,
    ({ entity_id }) => !entity || entity_id === entity,
  );
  const { items, failure, loading, hasMore, more, reload } = feed;
  const fleet = live.fleet.value;
  const incidents = useMemo(() => {
    const found = incidentsOf(items);
    // Of a time that is over, what runs now is no part.
    if (until || !fleet) return found;
    return withRunning(
      found,
      [...fleet.values()].filter(({ id }) => !entity || id === entity),
    );
  }, [items, fleet, entity, until]);
  const shown = incidents.filter(({ to }) => !state || (state === 'running') === (to === null));
  const isReading = loading && items.length === 0;
  return (
    <Page title="Incidents">
      <IncidentFilters query={query} />
      {failure && <Failure failure={failure} retry={reload} />}
      {isReading && <Loading what="Reading the incidents" lines={8} />}
      {!isReading && shown.length > 0 && <IncidentTable incidents={shown} />}
      {!isReading && !failure && shown.length === 0 && (
        <Nothing isAll={[entity, state, since, until].join('') === ''} />
      )}
      {hasMore && !isReading && (
        <p class="more">
          <Button small busy={loading} onClick={more}>
            Older incidents
          </Button>
        </p>
      )}
    </Page>
  );
}

const Nothing = ({ isAll }: { isAll: boolean }) =>
  isAll ? (
    <Empty title="Nothing has gone wrong" icon="done">
      <p>From the first time that something is down, it stands here: since when, why, and who was told.</p>
    </Empty>
  ) : (
    <Empty title="No incident fits" icon="search" />
  );
