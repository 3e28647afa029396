import type { MaintenanceWindow } from '#console/api/records.ts';
import { SelectorText } from '#console/parts/alerts/selector-text.tsx';
import { Button } from '#console/parts/button.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { pathTo } from '#console/rules/address.ts';
import { byName } from '#console/rules/fleet.ts';
import { compareStatus, type WindowStatus } from '#console/rules/windows/times.ts';
import { Recurrence, WhenOpen, WindowStatusMark } from './window-words.tsx';

type Row = { window: MaintenanceWindow; status: WindowStatus };

type TableProps = {
  rows: readonly Row[];
  why: string | undefined;
  confirmEnd: (window: MaintenanceWindow) => void;
};

export const hrefOfWindow = (id: string): string => `#${pathTo('/alerts/windows/:id', { id })}`;

/** Lists the windows: open ones first, then planned ones, then past ones. */
export const WindowTable = ({ rows, why, confirmEnd }: TableProps) => (
  <Table
    label="Maintenance windows"
    rows={rows}
    columns={columnsOf(why, confirmEnd)}
    keyOf={({ window }) => window.id}
  />
);

const columnsOf = (why: string | undefined, confirmEnd: TableProps['confirmEnd']): readonly Column<Row>[] => [
  {
    head: 'State',
    cell: ({ status }) => <WindowStatusMark of={status} />,
    compare: (a, b) => compareStatus(a.status, b.status),
  },
  {
    head: 'Window',
    grow: true,
    cell: ({ window, status }) => (
      <>
        <a class="row-link" href={hrefOfWindow(window.id)} dir="auto">
          {window.name}
        </a>
        <span class="under">
          <span class="narrow">
            <WhenOpen of={status} window={window} />,{' '}
          </span>
          <SelectorText of={window.scope} />
        </span>
      </>
    ),
    compare: (a, b) => byName(a.window.name, b.window.name),
  },
  { head: 'Open', onlyWide: true, cell: ({ status, window }) => <WhenOpen of={status} window={window} /> },
  { head: 'Recurrence', onlyWide: true, cell: ({ window }) => <Recurrence window={window} /> },
  {
    head: 'Actions',
    cell: ({ window, status }) =>
      status.is === 'open' && (
        <Button small why={why} label={`End ${window.name} now`} onClick={() => confirmEnd(window)}>
          End now
        </Button>
      ),
  },
];
