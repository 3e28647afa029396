import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { refusal } from '#console/app/session.ts';
import { addChannel } from '#console/parts/add-channel.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { TextField } from '#console/parts/field.tsx';
import { labelMany } from '#console/parts/label-many.tsx';
import type { BulkAction, ConfirmedAction } from '#console/parts/table/bulk.tsx';

type Work = BulkAction['work'];

const change =
  (body: object): Work =>
  (id) =>
    call('PUT', `/v1/checks/${id}`, body);

const changePolicy =
  (body: object): Work =>
  (id) =>
    call('POST', `/v1/checks/${id}/policy`, body);

/** Actions for many checks at once. */
export function bulkActions(): (BulkAction | ConfirmedAction)[] {
  const why = refusal('write');
  return [
    { name: 'Enable', why, work: change({ enabled: true }) },
    { name: 'Disable', why, work: change({ enabled: false }) },
    { name: 'Silence', why, work: changePolicy({ silenced: true }) },
    { name: 'Lift silence', why, work: changePolicy({ silenced: false }) },
    numberAction('Interval', 'Interval in seconds', 'interval_seconds', why),
    numberAction('Threshold', 'Consecutive failures until down', 'failure_threshold', why),
    labelMany(why, (id) => `/v1/checks/${id}`),
    addChannel(why),
    {
      name: 'Delete',
      why,
      kind: 'danger',
      loses: 'Their results, history, policies and channels are deleted too. Transitions stay with their entities.',
      work: (id) => call('DELETE', `/v1/checks/${id}`),
    },
  ];
}

const numberAction = (name: string, label: string, member: string, why: string | undefined): ConfirmedAction => ({
  name,
  why,
  ask: (begin, close) => (
    <NumberDialog
      title={`${name} of the selected checks`}
      label={label}
      onClose={close}
      onSubmit={(n) => begin(change({ [member]: n }))}
    />
  ),
});

type NumberDialogProps = { title: string; label: string; onSubmit: (n: number) => void; onClose: () => void };

function NumberDialog({ title, label, onSubmit, onClose }: NumberDialogProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (/^\d+$/.test(text.trim())) onSubmit(Number(text));
          else setError('must be a whole number');
        }}
      >
        <TextField label={label} numeric value={text} onChange={setText} error={error} required />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main">
            Change
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
