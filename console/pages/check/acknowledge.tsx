import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { AcknowledgeDialog } from '#console/parts/alerts/acknowledge-dialog.tsx';
import { Button } from '#console/parts/button.tsx';
import { Time } from '#console/parts/time.tsx';

type AcknowledgeProps = { check: CheckDetail; onChange: () => void };

/** Looks after a failure: no reminder is sent of it, and nobody else is called. */
export function Acknowledge({ check, onChange }: AcknowledgeProps) {
  const [asking, ask] = useState(false);
  const path = `/v1/checks/${check.id}/acknowledge`;
  const takesBack = check.acknowledgement !== null;
  const isDown = check.state === 'down';
  async function takeBack() {
    try {
      await call('DELETE', path);
      showToast('Reminders and the escalation go on.');
      onChange();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <>
      <Button
        why={
          refusal('respond') ?? (isDown || takesBack ? undefined : 'It is not down: there is nothing to look after.')
        }
        pressed={takesBack}
        onClick={() => (takesBack ? void takeBack() : ask(true))}
      >
        {takesBack ? 'Take acknowledgement back' : 'Acknowledge'}
      </Button>
      {asking && (
        <AcknowledgeDialog
          id={check.id}
          title="Look after this failure"
          send={async (body) => {
            await call('POST', path, body);
            showToast('It is acknowledged.');
            ask(false);
            onChange();
          }}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

/** Who looks after it; nothing where nobody does. */
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
