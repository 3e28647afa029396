import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';

const SCHEMA = {
  properties: {
    note: { type: 'string', description: 'What is being done, for the others.' },
    until: {
      type: 'string',
      format: 'date-time',
      title: 'Until',
      description: 'At most 30 days from now. Empty: until it is over.',
    },
  },
};

type AcknowledgeProps = {
  /** Names what is typed. */
  id: string;
  title: string;
  send(body: Record<string, unknown>): Promise<unknown>;
  onClose: () => void;
};

/** Asks what is being done by whoever looks after a failure, or all of an incident. */
export const AcknowledgeDialog = ({ id, title, send, onClose }: AcknowledgeProps) => (
  <Dialog title={title} onClose={onClose}>
    <p class="hint">Reminders and the escalation stop, and those who were told hear that you are on it.</p>
    <SchemaForm name={`acknowledge ${id}`} schema={SCHEMA} submit="Acknowledge" send={send} onCancel={onClose} />
  </Dialog>
);
