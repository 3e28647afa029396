import { call } from '#console/api/call.ts';
import type { IncidentRecord } from '#console/api/records.ts';
import { go } from '#console/app/router.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';

/** What people say of an incident. */
export const INCIDENT_SETTINGS = {
  title: { type: 'string', description: 'What people call it.' },
  impact: { type: 'string', enum: ['outage', 'degraded', 'none'], description: 'How bad it is.' },
} as const;

const SCHEMA = {
  properties: {
    ...INCIDENT_SETTINGS,
    entity_ids: { type: 'array', title: 'About', format: 'entities', items: { type: 'string' } },
  },
  required: ['title', 'impact'],
};

/** An incident that no check has found. */
export const NewIncident = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="New incident" wide onClose={onClose}>
    <p class="hint">One that no check has found. It is over when somebody says so.</p>
    <SchemaForm
      name="new incident"
      schema={SCHEMA}
      submit="Open the incident"
      send={async (body) => {
        const { id } = await call<IncidentRecord>('POST', '/v1/incidents', body);
        onClose();
        go(`/incidents/${id}`);
      }}
      onCancel={onClose}
    />
  </Dialog>
);
