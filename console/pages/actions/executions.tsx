import { useLiveFeed } from '#console/api/live-feed.ts';
import type { Action, Execution } from '#console/api/records.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { outcome } from '#console/rules/executions.ts';
import { canStart, STARTED_BY } from '#console/rules/triggers.ts';
import { number } from '#console/rules/words.ts';

const COLUMNS: readonly Column<Execution>[] = [
  { head: 'Outcome', cell: (execution) => <StateMark {...outcome(execution)} /> },
  {
    head: 'Started',
    grow: true,
    cell: ({ id, created_at, trigger, error_message }) => (
      <>
        <a class="row-link" href={`#/executions/${id}`}>
          <Time at={created_at} />
        </a>{' '}
        <span class="hint">{STARTED_BY[trigger]}</span>
        <span class="why" title={error_message}>
          {error_message}
        </span>
      </>
    ),
  },
  { head: 'Response', numeric: true, cell: ({ status_code }) => status_code || '–' },
  { head: 'Latency', onlyWide: true, numeric: true, cell: ({ latency_ms }) => `${number(latency_ms)} ms` },
  { head: 'Log lines', onlyWide: true, numeric: true, cell: ({ log_count }) => number(log_count) },
];

/** Lists the executions of an action, newest first. */
export function Executions({ action }: { action: Action }) {
  const executions = useLiveFeed<Execution>(`/v1/actions/${action.id}/executions?limit=25`, ({ check_id }) =>
    canStart(action, check_id),
  );
  return (
    <Section
      title="Executions"
      actions={
        <Button small quiet icon="reload" label="Reload" busy={executions.loading} onClick={executions.reload} />
      }
    >
      {executions.failure && <Failure failure={executions.failure} retry={executions.reload} />}
      {executions.items.length > 0 && (
        <Table label="Executions" rows={executions.items} columns={COLUMNS} keyOf={({ id }) => id} />
      )}
      {executions.items.length === 0 && executions.loading && <Loading what="Loading the executions" />}
      {executions.items.length === 0 && !executions.loading && !executions.failure && (
        <Empty help="executions" title="No executions yet" />
      )}
      {executions.hasMore && executions.items.length > 0 && (
        <p class="more">
          <Button busy={executions.loading} onClick={executions.more}>
            Show older executions
          </Button>
        </p>
      )}
    </Section>
  );
}
