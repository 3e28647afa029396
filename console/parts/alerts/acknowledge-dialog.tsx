import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';

const SCHEMA = {
  properties: {
    note: { type: 'string', description: 'Note for the recipients.' },
    until: {
      type: 'string',
      format: 'date-time',
      title: 'Until',
      description: 'At most 30 days from now. Empty: until recovery.',
    },
  },
};

type AcknowledgeProps = {
  id: string;
  title: string;
  send(body: Record<string, unknown>): Promise<unknown>;
  onClose: () => void;
};

export const AcknowledgeDialog = ({ id, title, send, onClose }: AcknowledgeProps) => (
  <Dialog help="acknowledgement" title={title} onClose={onClose}>
    <p class="hint">Stops reminders and escalation, and notifies the recipients of the alert.</p>
    <SchemaForm name={`acknowledge ${id}`} schema={SCHEMA} submit="Acknowledge" send={send} onCancel={onClose} />
  </Dialog>
);
