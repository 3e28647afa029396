import { call } from '#console/api/call.ts';
import type { MaintenanceWindow } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { endingOf } from '#console/rules/windows/times.ts';

type EndProps = { window: MaintenanceWindow; onEnded: () => void; onClose: () => void };

/** Asks before an open window ends early. */
export function EndWindow({ window, onEnded, onClose }: EndProps) {
  const path = `/v1/windows/${window.id}`;
  const isLast = endingOf(window, Date.now()) === 'delete';
  return (
    <Confirm
      title={`End ${window.name} now?`}
      action={isLast ? 'End and delete the window' : 'End it now'}
      run={async () => {
        const ending = endingOf(window, Date.now());
        await (ending === 'delete' ? call('DELETE', path) : call('PUT', path, ending.change));
        showToast('It is over. What is still down is told after its next result.');
        onEnded();
      }}
      onClose={onClose}
    >
      <p>Alerts that it held are decided after the next result of their checks.</p>
      {window.cron !== null && (
        <p>{isLast ? 'It never comes again, so it is deleted.' : 'It comes again at its next time.'}</p>
      )}
    </Confirm>
  );
}
