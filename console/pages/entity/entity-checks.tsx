import { labelOf, typeTitle } from '#console/api/check-names.ts';
import type { Loaded } from '#console/api/load.ts';
import type { CheckHistories, Entity, ListedCheck } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { HistoryBar } from '#console/parts/history-bar.tsx';
import { LinkButton } from '#console/parts/link-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data, Empty, Failure } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { hrefOf, pathTo } from '#console/rules/address.ts';
import { barOf } from '#console/rules/history-bar.ts';
import { messageOf, severityRank } from '#console/rules/states.ts';
import { degradedOf } from '#console/rules/uptime.ts';
import { percent } from '#console/rules/words.ts';

type EntityChecksProps = { entity: Entity; checks: Loaded<ListedCheck[]>; history: Loaded<CheckHistories> };
type History = CheckHistories['checks'][number];

/** Lists the checks of an entity with the last result and the last 24 hours, worst state first. */
export const EntityChecks = ({ entity, checks, history }: EntityChecksProps) => (
  <Section
    title="Checks"
    actions={
      <LinkButton small icon="add" href={hrefOf('/checks/new', { entity: entity.id })} why={refusal('write')}>
        New check
      </LinkButton>
    }
  >
    {history.failure && <Failure failure={history.failure} retry={history.reload} />}
    <Data of={checks}>
      {(found) =>
        found.length === 0 ? (
          <Empty help="checks" title="No checks yet">
            <p dir="auto">Without a check, the state of {entity.name} stays unknown.</p>
          </Empty>
        ) : (
          <Table
            label="Checks"
            rows={found.toSorted((a, b) => severityRank(a.state) - severityRank(b.state))}
            keyOf={({ id }) => id}
            columns={columnsOf(new Map(history.data?.checks.map((one) => [one.check_id, one])))}
          />
        )
      }
    </Data>
  </Section>
);

const columnsOf = (histories: ReadonlyMap<string, History>): Column<ListedCheck>[] => [
  {
    head: 'State',
    cell: ({ state, enabled }) =>
      enabled ? <StateMark state={state} /> : <StateMark state="unknown" word="Disabled" />,
  },
  {
    head: 'Check',
    grow: true,
    cell: (check) => (
      <>
        <a class="row-link" href={`#${pathTo('/checks/:id', { id: check.id })}`} dir="auto">
          {labelOf(check)}
        </a>
        {check.stale && check.enabled && <span class="tag">overdue</span>}
        <LastResult check={check} />
      </>
    ),
  },
  { head: 'Type', onlyWide: true, cell: ({ check_type }) => typeTitle(check_type) },
  {
    head: 'Last result',
    onlyWide: true,
    numeric: true,
    cell: ({ last_result }) => (last_result ? <Time at={last_result.checked_at} /> : 'none yet'),
  },
  {
    head: 'Last 24 h',
    onlyWide: true,
    cell: ({ id }) => {
      const buckets = histories.get(id)?.buckets;
      return buckets && <HistoryBar title="Last 24 h" buckets={barOf(buckets)} />;
    },
  },
  {
    head: 'Uptime',
    numeric: true,
    cell: ({ id }) => {
      const history = histories.get(id);
      return (
        <>
          {percent(history?.total.uptime ?? null)}
          {history && <span class="under">{degradedOf(history.buckets)}</span>}
        </>
      );
    },
  },
];

/** Shows the last result. Every row has this line, so that all rows have the same height. */
function LastResult({ check: { last_result } }: { check: ListedCheck }) {
  if (!last_result) return <span class="why" />;
  const text = messageOf(last_result) || `${last_result.latency_ms} ms`;
  return (
    <span class="why" dir="auto" title={text}>
      {text}
    </span>
  );
}
