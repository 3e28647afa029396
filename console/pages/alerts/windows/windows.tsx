import { useMemo, useState } from 'preact/hooks';
import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { MaintenanceWindow } from '#console/api/records.ts';
import { newRecordDialog, setQuery } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { compareStatus, windowStatus } from '#console/rules/windows/times.ts';
import { EndWindow } from './end-window.tsx';
import { WindowCalendar } from './window-calendar.tsx';
import { WindowForm } from './window-form.tsx';
import { WindowTable } from './window-table.tsx';

/** Polling interval. Windows open and close without an event. */
const POLL_MS = 60_000;

export function Windows({ query }: { query: URLSearchParams }) {
  const windows = useLoad<MaintenanceWindow[]>('/v1/windows');
  const [ending, confirmEnd] = useState<MaintenanceWindow | undefined>(undefined);
  const why = refusal('suppress');
  const { isOpen, open, close } = newRecordDialog('window', why);
  const isCalendar = query.get('view') === 'calendar';
  useEvery(POLL_MS, windows.reload);
  const rows = useMemo(() => inOrder(windows.data ?? []), [windows.data]);
  return (
    <>
      <p class="above-form row-actions">
        <Button icon="add" why={why} onClick={open}>
          New window
        </Button>
        <Button pressed={isCalendar} onClick={() => setQuery({ view: isCalendar ? '' : 'calendar', month: '' })}>
          Calendar
        </Button>
      </p>
      <Data of={windows} what="Loading the windows">
        {(found) => {
          if (isCalendar) return <WindowCalendar windows={found} query={query} />;
          if (found.length > 0) return <WindowTable rows={rows} why={why} confirmEnd={confirmEnd} />;
          return (
            <Empty help="maintenance" title="No maintenance windows" icon="alerts">
              <p>A window holds alerts of selected checks. After it, each check that is still down sends its alert.</p>
            </Empty>
          );
        }}
      </Data>
      {isOpen && (
        <Dialog help="maintenance" title="New maintenance window" wide onClose={close}>
          <WindowForm
            onSaved={() => {
              close();
              windows.reload();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {ending && <EndWindow window={ending} onEnded={windows.reload} onClose={() => confirmEnd(undefined)} />}
    </>
  );
}

function inOrder(windows: readonly MaintenanceWindow[]) {
  const now = Date.now();
  return windows
    .map((window) => ({ window, status: windowStatus(window, now) }))
    .toSorted((a, b) => compareStatus(a.status, b.status));
}
