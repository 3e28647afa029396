import type { Feed } from '#console/api/feed.ts';
import type { Result } from '#console/api/records.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { OUTCOME } from '#console/rules/states.ts';

/** How a result came about. */
const KIND: Readonly<Record<Result['kind'], string>> = {
  scheduled: 'probe',
  retry: 'retry',
  manual: 'by hand',
  push: 'pushed',
  missed_heartbeat: 'missed_heartbeat',
};

const COLUMNS: readonly Column<Result>[] = [
  {
    head: 'Result',
    cell: ({ outcome }) => <StateMark {...OUTCOME[outcome]} />,
  },
  {
    head: 'What',
    grow: true,
    cell: ({ error_kind, error_message, warning_message, status_code }) => {
      const text = [error_message, warning_message].filter(Boolean).join('; ');
      return (
        <span dir="auto" title={text}>
          {error_kind && <strong>{error_kind} </strong>}
          {text || (status_code > 0 ? `status ${status_code}` : '')}
        </span>
      );
    },
  },
  { head: 'By', wide: true, cell: ({ kind }) => KIND[kind] },
  {
    head: 'Latency',
    wide: true,
    numeric: true,
    cell: ({ success, latency_ms }) => (success || latency_ms ? `${latency_ms} ms` : '–'),
  },
  { head: 'Checked', numeric: true, cell: ({ checked_at }) => <Time at={checked_at} /> },
];

/** A table of more draws what is in sight alone, and needs rows of one height: messages are then cut. */
const WHOLE = 100;

/** The last results, and why those failed that did. */
export function Results({ feed }: { feed: Feed<Result> }) {
  const { items, failure, loading, hasMore, more, reload } = feed;
  return (
    <Section title="Results">
      {failure && <Failure failure={failure} retry={reload} />}
      {items.length === 0 && loading && <Loading what="Reading the results" />}
      {items.length === 0 && !loading && !failure && <Empty title="No result yet" />}
      {items.length > 0 && (
        <div class={items.length <= WHOLE ? 'wrapped' : undefined}>
          <Table label="Results" rows={items} columns={COLUMNS} keyOf={({ id }) => id} />
        </div>
      )}
      {hasMore && items.length > 0 && (
        <p class="more">
          <Button small busy={loading} onClick={more}>
            Older results
          </Button>
        </p>
      )}
    </Section>
  );
}
