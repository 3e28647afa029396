import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import { labelOfChannel } from '#console/api/check-names.ts';
import type { Channel, Delivery, Policy } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { DeliveryOutcome } from '#console/parts/alerts/delivery-list.tsx';
import { ToldFrom } from '#console/parts/alerts/escalation.tsx';
import { Button } from '#console/parts/button.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Failure } from '#console/parts/states.tsx';
import { KIND } from '#console/rules/alert-reason.ts';

type ChannelsProps = {
  id: string;
  channels: readonly Channel[];
  /** Whether channels of the account get its alerts. */
  isTold: boolean;
  escalation: Policy['escalation'];
  reload: () => void;
};

/** Who is told: each channel with what was sent to it last. */
export function Channels({ id, channels, isTold, escalation, reload }: ChannelsProps) {
  const [adding, add] = useState(false);
  const path = `/v1/checks/${id}/policy/channels`;
  return (
    <>
      {channels.length === 0 && !isTold && <p class="nobody">There is no channel: nobody is told when it goes down.</p>}
      <ul class="channels">
        {channels.map((channel) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            escalation={escalation}
            path={`${path}/${channel.id}`}
            reload={reload}
          />
        ))}
      </ul>
      <p class="more">
        <Button small icon="add" why={refusal('write')} onClick={() => add(true)}>
          Add a channel
        </Button>
      </p>
      {adding && (
        <Dialog title="Add a channel" wide onClose={() => add(false)}>
          <ChannelForm
            name={`new channel ${id}`}
            submit="Add channel"
            send={async (body) => {
              await call('POST', path, body);
              showToast('The channel is added. A test alert shows that it works.');
              add(false);
              reload();
            }}
            onCancel={() => add(false)}
          />
        </Dialog>
      )}
    </>
  );
}

type Tried = { delivery: Delivery } | { failure: ApiFailure };

type RowProps = Pick<ChannelsProps, 'escalation' | 'reload'> & { channel: Channel; path: string };

function ChannelRow({ channel, escalation, path, reload }: RowProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried | undefined>(undefined);
  const close = () => setOpen(undefined);
  const name = labelOfChannel(channel);
  const why = refusal('write');

  async function test() {
    setBusy(true);
    setTried(undefined);
    setTried(
      await call<Delivery>('POST', `${path}/test`).then(
        (delivery) => ({ delivery }),
        (error: unknown) => ({ failure: asFailure(error) }),
      ),
    );
    setBusy(false);
    reload();
  }
  const { last_delivery: last } = channel;
  return (
    <li>
      <span>
        <strong dir="auto">{name}</strong>
        <ToldFrom steps={escalation} id={channel.id} />
      </span>
      <span class="channel-actions">
        <Button small why={refusal('respond')} busy={busy} onClick={() => void test()}>
          {busy ? 'Sending' : 'Send a test'}
        </Button>
        <Button small quiet why={why} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button small quiet why={why} onClick={() => setOpen('delete')}>
          Remove
        </Button>
      </span>
      <div class="channel-last" role="status">
        {tried && 'failure' in tried && <Failure failure={tried.failure} />}
        {tried && 'delivery' in tried ? (
          <>
            Test: <DeliveryOutcome delivery={tried.delivery} />
          </>
        ) : last ? (
          <>
            {KIND[last.kind]}: <DeliveryOutcome delivery={last} />
          </>
        ) : (
          <span class="hint">Nothing was sent to it yet.</span>
        )}
      </div>
      {open === 'edit' && (
        <Dialog title={`Edit ${name}`} wide onClose={close}>
          <ChannelForm
            name={`channel ${channel.id}`}
            submit="Save channel"
            channel={channel}
            send={async (body) => {
              await call('PUT', path, body);
              showToast('The channel is changed.');
              close();
              reload();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Remove ${name}?`}
          action="Remove the channel"
          run={async () => {
            await call('DELETE', path);
            reload();
          }}
          onClose={close}
        >
          <p>
            It gets no more alerts of this check; what is still on its way to it ends as failed. Its address is lost.
          </p>
        </Confirm>
      )}
    </li>
  );
}
