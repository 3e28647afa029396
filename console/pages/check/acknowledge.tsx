import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { AcknowledgeDialog } from '#console/parts/alerts/acknowledge-dialog.tsx';
import { Button } from '#console/parts/button.tsx';
import { Time } from '#console/parts/time.tsx';

type AcknowledgeProps = { check: CheckDetail; onChange: () => void };

export function Acknowledge({ check, onChange }: AcknowledgeProps) {
  const [asking, ask] = useState(false);
  const path = `/v1/checks/${check.id}/acknowledge`;
  const isAcknowledged = check.acknowledgement !== null;
  const isDown = check.state === 'down';
  // A failure lasts until the check is up. The API rejects a degraded check that was not down.
  const mayHaveFailure = isDown || check.state === 'degraded';
  async function unacknowledge() {
    try {
      await call('DELETE', path);
      showToast('Reminders and escalation resume.');
      onChange();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <>
      <Button
        why={refusal('respond') ?? (mayHaveFailure || isAcknowledged ? undefined : 'The check has no current failure.')}
        {...(isDown && !isAcknowledged && { kind: 'main' })}
        pressed={isAcknowledged}
        onClick={() => (isAcknowledged ? void unacknowledge() : ask(true))}
      >
        {isAcknowledged ? 'Remove acknowledgement' : 'Acknowledge'}
      </Button>
      {asking && (
        <AcknowledgeDialog
          id={check.id}
          title="Acknowledge failure"
          send={async (body) => {
            await call('POST', path, body);
            showToast('The failure is acknowledged.');
            ask(false);
            onChange();
          }}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

export const Acknowledged = ({ check: { acknowledgement: one } }: { check: CheckDetail }) =>
  one && (
    <p dir="auto">
      Acknowledged by <bdi>{one.by}</bdi> <Time at={one.at} />
      {one.until && (
        <>
          , until <Time at={one.until} as="full" />
        </>
      )}
      {one.note && `: ${one.note}`}
    </p>
  );
