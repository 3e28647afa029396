import { typeTitle } from '#console/api/check-names.ts';
import { StateMark } from '#console/parts/state-mark.tsx';
import type { Selection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import type { CheckRow } from '#console/rules/check-list.ts';
import { byName } from '#console/rules/fleet.ts';
import { messageOf, severityRank } from '#console/rules/states.ts';
import { duration } from '#console/rules/time.ts';

const COLUMNS: readonly Column<CheckRow>[] = [
  {
    head: 'State',
    cell: ({ check }) => <StateMark state={check.state} {...(!check.enabled && { word: 'Disabled' })} />,
    compare: (a, b) => severityRank(a.check.state) - severityRank(b.check.state),
  },
  {
    head: 'Check',
    grow: true,
    cell: ({ check, label, entity }) => (
      <>
        <a class="row-link" href={`#${pathTo('/checks/:id', { id: check.id })}`} dir="auto">
          {label}
        </a>
        {check.stale && check.enabled && <span class="tag">overdue</span>}
        <Below error={messageOf(check.last_result)} entityName={entity?.name} />
      </>
    ),
    compare: (a, b) => byName(a.label, b.label),
  },
  {
    head: 'Entity',
    onlyWide: true,
    cell: ({ entity }) =>
      entity && (
        <span class="cut" dir="auto">
          <a href={`#${pathTo('/entities/:blueprint/:slug', { blueprint: entity.blueprint_slug, slug: entity.slug })}`}>
            {entity.name}
          </a>
        </span>
      ),
    compare: (a, b) => byName(a.entity?.name ?? '', b.entity?.name ?? ''),
  },
  {
    head: 'Type',
    onlyWide: true,
    cell: ({ check }) => typeTitle(check.check_type),
    compare: (a, b) => byName(a.check.check_type, b.check.check_type),
  },
  {
    head: 'Every',
    onlyWide: true,
    numeric: true,
    cell: ({ check }) => duration(check.interval_seconds * 1000),
    compare: (a, b) => a.check.interval_seconds - b.check.interval_seconds,
  },
  {
    head: 'Last result',
    onlyWide: true,
    numeric: true,
    cell: ({ check: { last_result: last } }) =>
      last ? (
        <>
          {last.success ? `${last.latency_ms} ms` : 'failed'}, <Time at={last.checked_at} />
        </>
      ) : (
        'none yet'
      ),
    compare: (a, b) => ((a.check.last_result?.checked_at ?? '') < (b.check.last_result?.checked_at ?? '') ? 1 : -1),
  },
  {
    head: 'For',
    numeric: true,
    cell: ({ check }) => <Time at={check.state_since} as="short" />,
    compare: (a, b) => (a.check.state_since < b.check.state_since ? 1 : -1),
  },
];

/** Shows the last error, else the entity on narrow screens. Every row has this line, so that all have one height. */
const Below = ({ error, entityName }: { error: string; entityName: string | undefined }) => (
  <span class={error ? 'why' : 'why narrow'} dir="auto" title={error || entityName}>
    {error || entityName}
  </span>
);

export const CheckTable = ({ rows, selection }: { rows: readonly CheckRow[]; selection: Selection }) => (
  <Table label="Checks" rows={rows} columns={COLUMNS} keyOf={({ check }) => check.id} selection={selection} />
);
