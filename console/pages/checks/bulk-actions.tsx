import { call } from '#console/api/call.ts';
import { refusal } from '#console/app/session.ts';
import { addChannel } from '#console/parts/add-channel.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { labelMany } from '#console/parts/label-many.tsx';
import type { BulkAction, DialogAction } from '#console/parts/table/bulk.tsx';

type Work = BulkAction['work'];

const change =
  (body: object): Work =>
  (id) =>
    call('PUT', `/v1/checks/${id}`, body);

const changePolicy =
  (body: object): Work =>
  (id) =>
    call('POST', `/v1/checks/${id}/policy`, body);

export function bulkActions(): (BulkAction | DialogAction)[] {
  const why = refusal('write');
  return [
    { name: 'Enable', why, work: change({ enabled: true }) },
    { name: 'Disable', why, work: change({ enabled: false }) },
    { name: 'Silence', why, work: changePolicy({ silenced: true }) },
    { name: 'Lift silence', why, work: changePolicy({ silenced: false }) },
    settingAction('Interval', 'interval_seconds', why),
    settingAction('Failure threshold', 'failure_threshold', why),
    labelMany(why, (id) => `/v1/checks/${id}`),
    addChannel(why),
    {
      name: 'Delete',
      why,
      kind: 'danger',
      consequence:
        'Their results, history, policies and channels are deleted too. Transitions stay with their entities.',
      work: (id) => call('DELETE', `/v1/checks/${id}`),
    },
  ];
}

const settingAction = (
  name: string,
  setting: 'interval_seconds' | 'failure_threshold',
  why: string | undefined,
): DialogAction => ({
  name,
  why,
  ask: (begin, close) => (
    <Dialog help="checks" title={`${name} of the selected checks`} onClose={close}>
      <SchemaForm
        name={`${setting} of many checks`}
        schema={{ properties: { [setting]: SCHEMAS[setting] }, required: [setting] }}
        submit="Change"
        send={async (body) => begin(change(body))}
        onCancel={close}
      />
    </Dialog>
  ),
});

/** Schemas of the settings. They have no bounds, because the bounds differ by check type; the API validates them. */
const SCHEMAS = {
  interval_seconds: { type: 'integer', description: 'Time between probes, or between expected heartbeats.' },
  failure_threshold: { type: 'integer', description: 'Consecutive failures after which the check is down.' },
};
