import { useEvery } from '#console/api/every.ts';
import { useLiveFeed } from '#console/api/live-feed.ts';
import { useLoad } from '#console/api/load.ts';
import type { IncidentRecord, Transition } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { compareIncidents } from '#console/rules/incidents.ts';
import { IncidentFilters } from './incident-filters.tsx';
import { IncidentTable } from './incident-table.tsx';
import { NewIncident } from './new-incident.tsx';

const PAGE_SIZE = '50';
/** Poll interval in ms. Incidents open some seconds after a failure, and resolve with time, without an event. */
const POLL_MS = 10_000;

const anyTransition = (_: Transition): boolean => true;

/** Page of incidents: unresolved ones first. */
export default function IncidentsPage({ query }: PageProps) {
  const why = refusal('respond');
  const { isOpen, open: openNew, close } = newRecordDialog('incident', why);
  const [entity_id, state, since, until] = ['entity', 'state', 'since', 'until'].map((name) => query.get(name) ?? '');
  const pathOf = (wanted: string) => {
    const filters = Object.entries({ state: wanted, entity_id, since, until, limit: PAGE_SIZE });
    return `/v1/incidents?${new URLSearchParams(filters.filter((pair): pair is [string, string] => Boolean(pair[1])))}`;
  };
  const unresolved = useLoad<IncidentRecord[]>(pathOf('unresolved'), { all: true, about: anyTransition });
  const resolved = useLiveFeed<IncidentRecord>(pathOf('resolved'), anyTransition);
  useEvery(POLL_MS, () => {
    unresolved.reload();
    resolved.renew();
  });
  const shown = [
    ...(state === 'resolved' ? [] : (unresolved.data ?? []).toSorted(compareIncidents)),
    ...(state === 'unresolved' ? [] : resolved.items),
  ];
  const failure = unresolved.failure ?? resolved.failure;
  const isReading = unresolved.data === undefined || (resolved.loading && resolved.items.length === 0);
  return (
    <Page
      title="Incidents"
      actions={
        <Button icon="add" why={why} onClick={openNew}>
          New incident
        </Button>
      }
    >
      <IncidentFilters query={query} />
      {failure && <Failure failure={failure} retry={unresolved.failure ? unresolved.reload : resolved.reload} />}
      {isReading && !failure && <Loading what="Loading the incidents" lines={8} />}
      {!isReading && shown.length > 0 && <IncidentTable incidents={shown} />}
      {!isReading && !failure && shown.length === 0 && (
        <NoIncidents isUnfiltered={[entity_id, state, since, until].join('') === ''} />
      )}
      {resolved.hasMore && !isReading && state !== 'unresolved' && (
        <p class="more">
          <Button small busy={resolved.loading} onClick={resolved.more}>
            Show older incidents
          </Button>
        </p>
      )}
      {isOpen && <NewIncident onClose={close} />}
    </Page>
  );
}

const NoIncidents = ({ isUnfiltered }: { isUnfiltered: boolean }) =>
  isUnfiltered ? (
    <Empty help="incidents" title="No incidents" icon="done">
      <p>An incident opens when a check goes down.</p>
    </Empty>
  ) : (
    <Empty title="No matching incidents" icon="search" />
  );
