import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { IncidentDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { AcknowledgeDialog } from '#console/parts/alerts/acknowledge-dialog.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { whyNotAcknowledgeable, whyNotResolvable } from '#console/rules/incidents.ts';
import { INCIDENT_SETTINGS } from './new-incident.tsx';

const NOTE = {
  properties: { text: { type: 'string', title: 'Note', maxLength: 4000, description: 'Note for the timeline.' } },
  required: ['text'],
};

const HIDDEN = { type: 'boolean', default: false, title: 'Hide from status pages and feeds' };

type ActionsProps = { incident: IncidentDetail; onChange: () => void };

export function IncidentActions({ incident, onChange }: ActionsProps) {
  const [open, show] = useState<'acknowledge' | 'note' | 'edit' | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const path = `/v1/incidents/${incident.id}`;
  const why = refusal('respond');
  const close = () => show(undefined);
  function done(message: string) {
    showToast(message);
    close();
    onChange();
  }
  async function resolve() {
    setBusy(true);
    try {
      await call('POST', `${path}/resolve`);
      done('The incident is resolved.');
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  }
  return (
    <>
      <Button kind="main" why={why ?? whyNotAcknowledgeable(incident)} onClick={() => show('acknowledge')}>
        Acknowledge
      </Button>
      <Button why={why} onClick={() => show('note')}>
        Add note
      </Button>
      <Button why={why ?? whyNotResolvable(incident)} busy={busy} onClick={() => void resolve()}>
        Resolve
      </Button>
      <Button why={why} onClick={() => show('edit')}>
        Edit
      </Button>
      {open === 'acknowledge' && (
        <AcknowledgeDialog
          id={incident.id}
          title="Acknowledge incident"
          send={async (body) => {
            await call('POST', `${path}/acknowledge`, body);
            done('The incident is acknowledged.');
          }}
          onClose={close}
        />
      )}
      {open === 'note' && (
        <Dialog help="incidents" title="Add note" onClose={close}>
          <SchemaForm
            name={`note ${incident.id}`}
            schema={NOTE}
            submit="Add note"
            send={async (body) => {
              await call('POST', `${path}/notes`, body);
              done('The note is added.');
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {open === 'edit' && (
        <Dialog help="incidents" title="Edit incident" onClose={close}>
          <SchemaForm
            name={`incident ${incident.id}`}
            schema={{ properties: { ...INCIDENT_SETTINGS, hidden: HIDDEN }, required: ['title', 'impact'] }}
            record={incident}
            submit="Save incident"
            send={async (body) => {
              // Only changes are sent, because an impact that is sent no longer follows the states.
              const changed = Object.entries(body).filter(([name, value]) => value !== incident[name as 'title']);
              await call('PUT', path, Object.fromEntries(changed));
              done('The incident is changed.');
            }}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}
