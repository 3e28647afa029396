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
import { checksWithRecipients } from '#console/rules/check-recipients.ts';
import { number } from '#console/rules/words.ts';
import { bulkActions } from './bulk-actions.tsx';
import { CheckFilters } from './check-filters.tsx';
import { CheckTable } from './check-table.tsx';

/** All checks: which are down, and the same change made to many. */
export default function ChecksPage({ query }: PageProps) {
  const label = query.get('label') ?? '';
  const wanted = label && `&label=${encodeURIComponent(label)}`;
  const checks = useLoad<ListedCheck[]>(`/v1/checks?last_result=true${wanted}`, {
    all: 'as read',
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
      <Data of={checks} what="Reading the checks">
        {(found) =>
          found.length === 0 && !label ? (
            <NoneYet />
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
    The first {number(of.length)} checks. The rest is being read.
  </p>
);

const NoneYet = () => (
  <Empty title="There are no checks yet" icon="checks">
    <p>A check looks at one thing that you run, again and again, or waits for your own jobs to report.</p>
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
  const wanted = query.get('state') ?? '';
  const onlyUntold = query.get('channel') === 'none';
  const channels = useLoad<ListedChannel[]>(onlyUntold ? '/v1/notify/channels' : null, { all: true });
  const told = useMemo(
    () => new Set(checks.map(({ id }) => id).filter(checksWithRecipients(channels.data ?? []))),
    [channels.data, checks],
  );
  const states = useMemo(() => new Set(wanted.split(',').filter(Boolean)), [wanted]);
  const filter = { states, type, enabled, words, told: onlyUntold ? told : undefined };
  const shown = useMemo(
    () => filtered(rows, filter),
    // Each member: the filter itself is a new object every time.
    [rows, states, type, enabled, words, onlyUntold, told],
  );
  const list = (
    <>
      {shown.length > 0 ? (
        <CheckTable rows={shown} selection={selection} />
      ) : (
        <Empty title={onlyUntold && rows.length > 0 ? 'None of these is without a channel' : 'Nothing fits'}>
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
          if (onlyUntold) channels.reload();
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
        onlyUntold={onlyUntold}
        label={query.get('label') ?? ''}
        types={Object.keys(schemas.checks).map((name) => ({ value: name, label: typeTitle(name) }))}
      />
      {onlyUntold ? (
        <Data of={channels} what="Reading the channels">
          {() => list}
        </Data>
      ) : (
        list
      )}
    </>
  );
}

/** The checks with the news since they were read, their names and their entities. */
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
