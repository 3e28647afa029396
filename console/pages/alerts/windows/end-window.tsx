import { call } from '#console/api/call.ts';
import type { MaintenanceWindow } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { endingOf } from '#console/rules/windows/times.ts';

type EndProps = { window: MaintenanceWindow; onEnded: () => void; onClose: () => void };

/** Asks for confirmation before an open window ends early. */
export function EndWindow({ window, onEnded, onClose }: EndProps) {
  const path = `/v1/windows/${window.id}`;
  const isDeleted = endingOf(window, Date.now()) === 'delete';
  return (
    <Confirm
      title={`End ${window.name} now?`}
      action={isDeleted ? 'End and delete window' : 'End window'}
      run={async () => {
        const ending = endingOf(window, Date.now());
        await (ending === 'delete' ? call('DELETE', path) : call('PUT', path, ending.change));
        showToast('The window has ended. Checks that are still down send their alert after their next result.');
        onEnded();
      }}
      onClose={onClose}
    >
      <p>Held alerts are decided after the next result of their checks.</p>
      {window.cron !== null && (
        <p>{isDeleted ? 'It has no later occurrence, so it is deleted.' : 'It opens again at its next occurrence.'}</p>
      )}
    </Confirm>
  );
}
