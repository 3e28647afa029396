import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { tell, tellFailure } from '#console/app/notices.tsx';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Time } from '#console/parts/time.tsx';

const SCHEMA = {
  properties: {
    note: { type: 'string', description: 'What is being done, for the others.' },
    until: {
      type: 'string',
      format: 'date-time',
      title: 'Until',
      description: 'At most 30 days from now. Empty: until the check recovers.',
    },
  },
};

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
      tell('Reminders and the escalation go on.');
      onChange();
    } catch (error) {
      tellFailure(error);
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
        <Dialog title="Look after this failure" onClose={() => ask(false)}>
          <p class="hint">Reminders and the escalation stop, and those who were told hear that you are on it.</p>
          <SchemaForm
            name={`acknowledge ${check.id}`}
            schema={SCHEMA}
            submit="Acknowledge"
            send={async (body) => {
              await call('POST', path, body);
              tell('It is acknowledged.');
              ask(false);
              onChange();
            }}
            onCancel={() => ask(false)}
          />
        </Dialog>
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
