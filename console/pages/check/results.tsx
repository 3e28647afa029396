import type { Feed } from '#console/api/feed.ts';
import type { Result } from '#console/api/records.ts';
import { Button } from '#console/parts/button.tsx';
import { ErrorKind } from '#console/parts/error-kind.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { OUTCOME } from '#console/rules/states.ts';

const KIND: Readonly<Record<Result['kind'], string>> = {
  scheduled: 'probe',
  retry: 'retry',
  manual: 'manual',
  push: 'pushed',
  missed_heartbeat: 'missed heartbeat',
};

const COLUMNS: readonly Column<Result>[] = [
  {
    head: 'Result',
    cell: ({ outcome }) => <StateMark {...OUTCOME[outcome]} />,
  },
  {
    head: 'Message',
    grow: true,
    cell: ({ error_kind, error_message, warning_message, status_code }) => {
      const text = [error_message, warning_message].filter(Boolean).join('; ');
      return (
        <span dir="auto" title={text}>
          <ErrorKind kind={error_kind} />
          {text || (status_code > 0 ? `status ${status_code}` : '')}
        </span>
      );
    },
  },
  { head: 'Trigger', onlyWide: true, cell: ({ kind }) => KIND[kind] },
  {
    head: 'Latency',
    onlyWide: true,
    numeric: true,
    cell: ({ success, latency_ms }) => (success || latency_ms ? `${latency_ms} ms` : '–'),
  },
  { head: 'Checked', numeric: true, cell: ({ checked_at }) => <Time at={checked_at} /> },
];

/** Maximum number of rows with wrapped messages. A longer table renders only visible rows, which need equal heights. */
const MAX_WRAPPED_ROWS = 100;

export function Results({ feed }: { feed: Feed<Result> }) {
  const { items, failure, loading, hasMore, more, reload } = feed;
  return (
    <Section title="Results">
      {failure && <Failure failure={failure} retry={reload} />}
      {items.length === 0 && loading && <Loading what="Loading the results" />}
      {items.length === 0 && !loading && !failure && <Empty help="results" title="No results yet" />}
      {items.length > 0 && (
        <div class={items.length <= MAX_WRAPPED_ROWS ? 'wrapped' : undefined}>
          <Table label="Results" rows={items} columns={COLUMNS} keyOf={({ id }) => id} />
        </div>
      )}
      {hasMore && items.length > 0 && (
        <p class="more">
          <Button small busy={loading} onClick={more}>
            Show older results
          </Button>
        </p>
      )}
    </Section>
  );
}
