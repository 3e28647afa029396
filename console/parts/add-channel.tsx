import { call } from '#console/api/call.ts';
import { ChannelForm } from './channel-form.tsx';
import { Dialog } from './dialog.tsx';
import type { ConfirmedAction } from './table/bulk.tsx';

/** Returns the bulk action that adds a channel to each selected check. @param why reason that it is not allowed */
export const addChannel = (why: string | undefined): ConfirmedAction => ({
  name: 'Add channel',
  why,
  ask: (begin, close) => (
    <Dialog help="channels" title="Add a channel to the selected checks" onClose={close} wide>
      <ChannelForm
        name="channel of many checks"
        submit="Add channel"
        send={async (body) => begin((id) => call('POST', `/v1/checks/${id}/policy/channels`, body))}
        onCancel={close}
      />
    </Dialog>
  ),
});
