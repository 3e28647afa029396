import { useEffect, useMemo, useState } from 'preact/hooks';
import { labelOf, typeTitle } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { ListedChannel, ListedCheck } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { setQuery } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { LinkButton } from '#console/parts/link-button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type CheckRow, filtered, inOrder, withNews } from '#console/rules/check-list.ts';
import { hasRecipientIn } from '#console/rules/check-recipients.ts';
import { number } from '#console/rules/words.ts';
import { bulkActions } from './bulk-actions.tsx';
import { CheckFilters } from './check-filters.tsx';
import { CheckTable } from './check-table.tsx';

export default function ChecksPage({ query }: PageProps) {
  const label = query.get('label') ?? '';
  const labelParameter = label && `&label=${encodeURIComponent(label)}`;
  const checks = useLoad<ListedCheck[]>(`/v1/checks?last_result=true${labelParameter}`, {
    all: 'as read',
    // useRows applies transitions, so the list is read again only after a full read of the fleet.
    about: () => false,
  });
  return (
    <Page
      title="Checks"
      actions={
        <LinkButton kind="main" icon="add" href="#/checks/new" why={refusal('write')}>
          New check
        </LinkButton>
      }
    >
      <Data of={checks} what="Loading the checks">
        {(found) =>
          found.length === 0 && !label ? (
            <NoChecks />
          ) : (
            <>
              {checks.isPart && <Progress of={found} />}
              <CheckList checks={found} query={query} reload={checks.reload} />
            </>
          )
        }
      </Data>
    </Page>
  );
}

const Progress = ({ of }: { of: readonly unknown[] }) => (
  <p class="hint" role="status">
    Showing the first {number(of.length)} checks. Loading the rest.
  </p>
);

const NoChecks = () => (
  <Empty help="checks" title="No checks yet" icon="checks">
    <p>A check probes a target repeatedly, or expects heartbeats of a job.</p>
  </Empty>
);

type ListProps = { checks: readonly ListedCheck[]; query: URLSearchParams; reload: () => void };

function CheckList({ checks, query, reload }: ListProps) {
  const rows = useRows(checks);
  const selection = useSelection();
  const [words, type, enabled] = ['q', 'type', 'enabled'].map((name) => query.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const chosenStates = query.get('state') ?? '';
  const withoutChannel = query.get('channel') === 'none';
  const channels = useLoad<ListedChannel[]>(withoutChannel ? '/v1/notify/channels' : null, { all: true });
  const withChannel = useMemo(
    () => new Set(checks.map(({ id }) => id).filter(hasRecipientIn(channels.data ?? []))),
    [channels.data, checks],
  );
  const states = useMemo(() => new Set(chosenStates.split(',').filter(Boolean)), [chosenStates]);
  const filter = { states, type, enabled, words, excluded: withoutChannel ? withChannel : undefined };
  const shown = useMemo(
    () => filtered(rows, filter),
    // Not `filter`, because the object is new at each rendering.
    [rows, states, type, enabled, words, withoutChannel, withChannel],
  );
  // Other filters can also leave an empty list.
  const allHaveChannel = withoutChannel && query.get('label') === null && withChannel.size === checks.length;
  const list = (
    <>
      {shown.length > 0 ? (
        <CheckTable rows={shown} selection={selection} />
      ) : (
        <Empty title={allHaveChannel ? 'Every check has a channel' : 'No matches'}>
          <Button onClick={() => setQuery({ q: '', state: '', type: '', enabled: '', channel: '', label: '' })}>
            Show all
          </Button>
        </Empty>
      )}
      <BulkBar
        selection={selection}
        noun={['check', 'checks']}
        nameOf={(key) => rows.find(({ check }) => check.id === key)?.label ?? key}
        actions={bulkActions()}
        onDone={() => {
          reload();
          if (withoutChannel) channels.reload();
          void live.refresh();
        }}
      />
    </>
  );
  return (
    <>
      <CheckFilters
        rows={rows}
        filter={filter}
        withoutChannel={withoutChannel}
        label={query.get('label') ?? ''}
        types={Object.keys(schemas.checks).map((name) => ({ value: name, label: typeTitle(name) }))}
      />
      {withoutChannel ? (
        <Data of={channels} what="Loading the channels">
          {() => list}
        </Data>
      ) : (
        list
      )}
    </>
  );
}

function useRows(checks: readonly ListedCheck[]): readonly CheckRow[] {
  const [current, setCurrent] = useState(checks);
  useEffect(() => {
    setCurrent(checks);
    let isFirst = true;
    return live.news.subscribe(({ transitions }) => {
      if (!isFirst) setCurrent((before) => withNews(before, transitions));
      isFirst = false;
    });
  }, [checks]);
  const fleet = live.fleet.value;
  const entities = useMemo(
    () => new Map(current.map(({ entity_id }) => [entity_id, fleet?.get(entity_id)])),
    [current, fleet],
  );
  return useMemo(
    () => inOrder(current.map((check) => ({ check, label: labelOf(check), entity: entities.get(check.entity_id) }))),
    [current, entities],
  );
}
