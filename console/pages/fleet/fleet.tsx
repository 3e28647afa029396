import { useMemo, useState } from 'preact/hooks';
import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { IncidentRecord } from '#console/api/records.ts';
import { useRecoveries } from '#console/api/recoveries.ts';
import { counts } from '#console/app/counts.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { newRecordDialog, setQuery } from '#console/app/router.ts';
import { useSearchQuery } from '#console/app/search-query.ts';
import { refusal } from '#console/app/session.ts';
import { MonitorDialog } from '#console/pages/check-form/monitor-form.tsx';
import { Button } from '#console/parts/button.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Page } from '#console/parts/page.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Fleet, type FleetRow, filtered, hasNeverRun, inOrder } from '#console/rules/fleet.ts';
import { parseStates } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';
import { FleetTable, type IncidentsByRoot } from './fleet-table.tsx';
import { StateFilter } from './state-filter.tsx';
import { TileMap } from './tile-map.tsx';
import { Wall } from './wall.tsx';

/** Fleets of at most this number of entities have no tile map, because the list alone gives an overview. */
const MAX_WITHOUT_TILES = 24;
/** Interval of incident reads in ms. They are polled because an incident opens some seconds after its failure. */
const INCIDENTS_MS = 10_000;
const NONE: readonly IncidentRecord[] = [];

/** Page of the fleet: every entity, unhealthy ones first. */
export default function FleetPage({ query }: PageProps) {
  const fleet = live.fleet.value;
  const failure = live.failure.value;
  if (!fleet) {
    return (
      <Page title="Fleet">
        {failure ? (
          <Failure failure={failure} retry={() => void live.refresh()} />
        ) : (
          <Loading what="Loading the fleet" lines={12} />
        )}
      </Page>
    );
  }
  if (query.has('tv')) return <Wall fleet={fleet} />;
  return fleet.size === 0 ? <NoEntities /> : <FleetView fleet={fleet} query={query} />;
}

function FleetView({ fleet, query }: { fleet: Fleet; query: URLSearchParams }) {
  const [words, setWords] = useSearchQuery();
  const why = refusal('write');
  const { isOpen, open, close } = newRecordDialog('monitor', why);
  const wanted = query.get('state') ?? '';
  const isGrouped = query.has('group');
  const rows = useMemo(() => inOrder(fleet), [fleet]);
  const shown = useMemo(() => filtered(rows, { states: parseStates(wanted), words }), [rows, wanted, words]);
  const incidents = useIncidents();
  // Entities without a result are last. They are folded, unless the list is filtered, grouped, or contains only them.
  const neverRun = isGrouped || wanted !== '' || words !== '' ? 0 : shown.filter(hasNeverRun).length;
  const folded = neverRun < shown.length ? shown.slice(shown.length - neverRun) : [];
  const listed = folded.length > 0 ? shown.slice(0, -folded.length) : shown;
  return (
    <Page
      title="Fleet"
      actions={
        <>
          <Button small pressed={isGrouped} onClick={() => setQuery({ group: isGrouped ? '' : 'blueprint' })}>
            Group by blueprint
          </Button>
          <a class="button small" href="#/report">
            Uptime report
          </a>
          <a class="button small" href="#/?tv">
            Wall view
          </a>
          <Button kind="main" small why={why} onClick={open}>
            Monitor a URL
          </Button>
        </>
      }
    >
      {isOpen && <MonitorDialog onClose={close} />}
      <div class="filters">
        <StateFilter
          counts={counts.value}
          wanted={parseStates(wanted)}
          onChange={(states) => setQuery({ state: [...states].join(), q: words })}
        />
        <input
          type="search"
          class="search"
          aria-label="Search by name, blueprint or message"
          placeholder="Search"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      {rows.length > MAX_WITHOUT_TILES && <TileMap rows={rows} />}
      {shown.length > 0 ? (
        <FleetTable rows={listed} grouped={isGrouped} incidents={incidents} />
      ) : (
        <Empty title="No matches" icon="search">
          <Button
            onClick={() => {
              setWords('');
              setQuery({ state: '' });
            }}
          >
            Show all
          </Button>
        </Empty>
      )}
      {folded.length > 0 && <NotRunYet rows={folded} incidents={incidents} />}
    </Page>
  );
}

function useIncidents(): IncidentsByRoot {
  const { data, reload } = useLoad<IncidentRecord[]>('/v1/incidents?state=unresolved&limit=500', {
    all: true,
    about: () => true,
  });
  useEvery(INCIDENTS_MS, reload);
  const listed = useRecoveries(data ?? NONE);
  return useMemo(
    () => new Map(listed.flatMap((one) => (one.root_entity_id === null ? [] : [[one.root_entity_id, one]]))),
    [listed],
  );
}

function NotRunYet({ rows, incidents }: { rows: readonly FleetRow[]; incidents: IncidentsByRoot }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="not-run">
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        {count(rows.length, 'entity', 'entities')} not run yet
      </button>
      {isOpen && <FleetTable label="Entities not run yet" rows={rows} incidents={incidents} />}
    </section>
  );
}

function NoEntities() {
  const why = refusal('write');
  const { isOpen, open, close } = newRecordDialog('monitor', why);
  return (
    <Page title="Fleet">
      <Empty help="monitor" title="No entities yet" icon="fleet">
        {why ? <p>{why}</p> : <p>Enter a URL. The first probe follows at once.</p>}
        {!why && (
          <p class="row-actions">
            <Button kind="main" onClick={open}>
              Monitor a URL
            </Button>
            <a class="button" href="#/start">
              First steps
            </a>
          </p>
        )}
      </Empty>
      {isOpen && <MonitorDialog onClose={close} />}
    </Page>
  );
}
