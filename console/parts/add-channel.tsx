import { call } from '#console/api/call.ts';
import { ChannelForm } from './channel-form.tsx';
import { Dialog } from './dialog.tsx';
import type { ConfirmedAction } from './table/bulk.tsx';

/** Adds a channel to each of many checks; its settings are typed once. @param why one may not */
export const addChannel = (why: string | undefined): ConfirmedAction => ({
  name: 'Add a channel',
  why,
  ask: (begin, close) => (
    <Dialog title="Add a channel to each" onClose={close} wide>
      <ChannelForm
        name="channel of many checks"
        submit="Add to each"
        send={async (body) => begin((id) => call('POST', `/v1/checks/${id}/policy/channels`, body))}
        onCancel={close}
      />
    </Dialog>
  ),
});
