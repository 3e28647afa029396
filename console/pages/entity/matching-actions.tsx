import type { Action } from '#console/api/records.ts';
import { Empty } from '#console/parts/states.tsx';
import { Table } from '#console/parts/table/table.tsx';
import { pathTo } from '#console/rules/address.ts';
import { triggerText } from '#console/rules/triggers.ts';

/** Lists the actions with a check of the entity, then actions without a check. `checks`: ids of its checks. */
export function MatchingActions({ actions, checks }: { actions: readonly Action[]; checks: ReadonlySet<string> }) {
  const own = actions.filter(({ check_id }) => check_id !== null && checks.has(check_id));
  const free = actions.filter(({ check_id }) => check_id === null);
  if (own.length + free.length === 0) return <Empty help="actions" title="No matching actions" />;
  return (
    <Table
      label="Actions"
      rows={[...own, ...free]}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          grow: true,
          cell: ({ id, name }) => (
            <a class="row-link" href={`#${pathTo('/actions/:id', { id })}`} dir="auto">
              {name}
            </a>
          ),
        },
        { head: 'Trigger', cell: triggerText },
      ]}
    />
  );
}
