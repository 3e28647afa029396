import type { MaintenanceWindow } from '#console/api/records.ts';
import { Selects } from '#console/parts/alerts/selects.tsx';
import { Button } from '#console/parts/button.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { pathTo } from '#console/rules/address.ts';
import { byName } from '#console/rules/fleet.ts';
import { compareStanding, type WindowStatus } from '#console/rules/windows/times.ts';
import { Rhythm, StandingMark, WhenOpen } from './window-words.tsx';

type Row = { window: MaintenanceWindow; standing: WindowStatus };

type TableProps = {
  rows: readonly Row[];
  /** Why one may not end any. */
  why: string | undefined;
  end: (window: MaintenanceWindow) => void;
};

/** The page of a window. */
export const hrefOfWindow = (id: string): string => `#${pathTo('/alerts/windows/:id', { id })}`;

/** Every window: what is open first, then what comes next, then what is over. */
export const WindowTable = ({ rows, why, end }: TableProps) => (
  <Table label="Maintenance windows" rows={rows} columns={columnsOf(why, end)} keyOf={({ window }) => window.id} />
);

const columnsOf = (why: string | undefined, end: TableProps['end']): readonly Column<Row>[] => [
  {
    head: 'State',
    cell: ({ standing }) => <StandingMark of={standing} />,
    compare: (a, b) => compareStanding(a.standing, b.standing),
  },
  {
    head: 'Window',
    grow: true,
    cell: ({ window, standing }) => (
      <>
        <a class="row-link" href={hrefOfWindow(window.id)} dir="auto">
          {window.name}
        </a>
        <span class="under">
          <span class="narrow">
            <WhenOpen of={standing} window={window} />,{' '}
          </span>
          <Selects of={window.scope} />
        </span>
      </>
    ),
    compare: (a, b) => byName(a.window.name, b.window.name),
  },
  { head: 'Open', wide: true, cell: ({ standing, window }) => <WhenOpen of={standing} window={window} /> },
  { head: 'Comes', wide: true, cell: ({ window }) => <Rhythm window={window} /> },
  {
    head: 'Actions',
    cell: ({ window, standing }) =>
      standing.is === 'open' && (
        <Button small why={why} label={`End ${window.name} now`} onClick={() => end(window)}>
          End now
        </Button>
      ),
  },
];
