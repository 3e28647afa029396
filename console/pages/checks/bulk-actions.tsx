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

/** What can be done to many checks at once. */
export function bulkActions(): (BulkAction | ConfirmedAction)[] {
  const why = refusal('write');
  return [
    { name: 'Enable', why, work: change({ enabled: true }) },
    { name: 'Disable', why, work: change({ enabled: false }) },
    { name: 'Silence', why, work: changePolicy({ silenced: true }) },
    { name: 'Lift silence', why, work: changePolicy({ silenced: false }) },
    asked('Interval', 'Seconds from one run to the next', 'interval_seconds', why),
    asked('Threshold', 'Failures in a row until it is down', 'failure_threshold', why),
    labelMany(why, (id) => `/v1/checks/${id}`),
    addChannel(why),
    {
      name: 'Delete',
      why,
      kind: 'danger',
      loses: 'Their results, history, policies and channels go with them. Changes of state stay with their entities.',
      work: (id) => call('DELETE', `/v1/checks/${id}`),
    },
  ];
}

/** A setting that is a number. */
const asked = (name: string, label: string, member: string, why: string | undefined): ConfirmedAction => ({
  name,
  why,
  ask: (begin, close) => (
    <Ask title={`${name} of each`} label={label} onClose={close} onGiven={(n) => begin(change({ [member]: n }))} />
  ),
});

type AskProps = { title: string; label: string; onGiven: (n: number) => void; onClose: () => void };

function Ask({ title, label, onGiven, onClose }: AskProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (/^\d+$/.test(text.trim())) onGiven(Number(text));
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
