import { call } from '#console/api/call.ts';
import { ChannelForm } from './channel-form.tsx';
import { Dialog } from './dialog.tsx';
import type { DialogAction } from './table/bulk.tsx';

/** Adds a channel with the same settings to many checks. @param why reason why the user may not add channels */
export const addChannel = (why: string | undefined): DialogAction => ({
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
