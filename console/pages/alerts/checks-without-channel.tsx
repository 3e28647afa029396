import { typeTitle } from '#console/api/check-names.ts';
import type { Check } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { addChannel } from '#console/parts/add-channel.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { byName } from '#console/rules/fleet.ts';
import { severityRank } from '#console/rules/states.ts';
import { CheckLink, nameOfCheck } from './check-link.tsx';

const COLUMNS: readonly Column<Check>[] = [
  {
    head: 'State',
    cell: ({ state, enabled }) => <StateMark state={state} {...(!enabled && { word: 'Disabled' })} />,
    compare: (a, b) => severityRank(a.state) - severityRank(b.state),
  },
  {
    head: 'Check',
    grow: true,
    cell: (check) => <CheckLink id={check.id} check={check} />,
    compare: (a, b) => byName(nameOfCheck(a), nameOfCheck(b)),
  },
  {
    head: 'Type',
    onlyWide: true,
    cell: ({ check_type }) => typeTitle(check_type),
    compare: (a, b) => byName(a.check_type, b.check_type),
  },
];

export function ChecksWithoutChannel({ checks, reload }: { checks: readonly Check[]; reload: () => void }) {
  const selection = useSelection();
  return (
    <>
      {checks.length === 0 ? (
        <Empty title="Every check has a channel" icon="done" />
      ) : (
        <Table
          label="Checks without a channel"
          rows={checks}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          selection={selection}
        />
      )}
      <BulkBar
        selection={selection}
        noun={['check', 'checks']}
        nameOf={(key) => nameOfCheck(checks.find(({ id }) => id === key))}
        actions={[addChannel(refusal('write'))]}
        onDone={reload}
      />
    </>
  );
}
