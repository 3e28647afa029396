import { call } from '#console/api/call.ts';
import type { IncidentRecord } from '#console/api/records.ts';
import { go } from '#console/app/router.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';

export const INCIDENT_SETTINGS = {
  title: { type: 'string', description: 'Title in lists, not public.' },
  impact: { type: 'string', enum: ['outage', 'degraded', 'none'], description: 'Severity.' },
  public_title: {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description: 'Title on status pages. Empty: the names of the affected components.',
  },
} as const;

const SCHEMA = {
  properties: {
    ...INCIDENT_SETTINGS,
    entity_ids: { type: 'array', title: 'Entities', format: 'entities', items: { type: 'string' } },
  },
  required: ['title', 'impact'],
};

export const NewIncident = ({ onClose }: { onClose: () => void }) => (
  <Dialog help="manual_incidents" title="New incident" wide onClose={onClose}>
    <p class="hint">Record a problem that no check detects. It stays open until you resolve it.</p>
    <SchemaForm
      name="new incident"
      schema={SCHEMA}
      submit="Create incident"
      send={async (body) => {
        const { id } = await call<IncidentRecord>('POST', '/v1/incidents', body);
        onClose();
        go(`/incidents/${id}`);
      }}
      onCancel={onClose}
    />
  </Dialog>
);
