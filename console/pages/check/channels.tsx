import { useState } from 'preact/hooks';
import { type ApiFailure, asFailure, call } from '#console/api/call.ts';
import { labelOfChannel } from '#console/api/check-names.ts';
import type { Channel, Delivery, Policy } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { DeliveryOutcome } from '#console/parts/alerts/delivery-list.tsx';
import { EscalationHint } from '#console/parts/alerts/escalation.tsx';
import { MailAddresses } from '#console/parts/alerts/mail-addresses.tsx';
import { Button } from '#console/parts/button.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { Failure } from '#console/parts/states.tsx';
import { KIND } from '#console/rules/alert-reason.ts';

type ChannelsProps = {
  id: string;
  channels: readonly Channel[];
  hasAccountChannels: boolean;
  escalation: Policy['escalation'];
  reload: () => void;
};

export function Channels({ id, channels, hasAccountChannels, escalation, reload }: ChannelsProps) {
  const [adding, add] = useState(false);
  const path = `/v1/checks/${id}/policy/channels`;
  return (
    <>
      {channels.length === 0 && !hasAccountChannels && (
        <p class="no-channels">No channels: no alert is sent when the check goes down.</p>
      )}
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
          Add channel
        </Button>
      </p>
      {adding && (
        <Dialog help="channels" title="Add channel" wide onClose={() => add(false)}>
          <ChannelForm
            name={`new channel ${id}`}
            submit="Add channel"
            send={async (body) => {
              await call('POST', path, body);
              showToast('The channel is added. Send a test to verify it.');
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

type TestOutcome = { delivery: Delivery } | { failure: ApiFailure };

type RowProps = Pick<ChannelsProps, 'escalation' | 'reload'> & { channel: Channel; path: string };

function ChannelRow({ channel, escalation, path, reload }: RowProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [tested, setTested] = useState<TestOutcome | undefined>(undefined);
  const close = () => setOpen(undefined);
  const name = labelOfChannel(channel);
  const why = refusal('write');

  async function test() {
    setBusy(true);
    setTested(undefined);
    setTested(
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
        <EscalationHint steps={escalation} id={channel.id} />
      </span>
      <span class="channel-actions">
        <Button small why={refusal('respond')} busy={busy} onClick={() => void test()}>
          {busy ? 'Sending' : 'Send test'}
        </Button>
        <Button small quiet why={why} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button small quiet why={why} onClick={() => setOpen('delete')}>
          Remove
        </Button>
      </span>
      <div class="channel-last" role="status">
        {tested && 'failure' in tested && <Failure failure={tested.failure} />}
        {tested && 'delivery' in tested ? (
          <>
            Test: <DeliveryOutcome delivery={tested.delivery} />
          </>
        ) : last ? (
          <>
            {KIND[last.kind]}: <DeliveryOutcome delivery={last} />
          </>
        ) : (
          <span class="hint">No deliveries yet.</span>
        )}
        <MailAddresses addresses={channel.addresses} onChange={reload} />
      </div>
      {open === 'edit' && (
        <Dialog help="channels" title={`Edit ${name}`} wide onClose={close}>
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
          action="Remove channel"
          run={async () => {
            await call('DELETE', path);
            reload();
          }}
          onClose={close}
        >
          <p>It receives no more alerts of this check, and pending deliveries to it fail. Its settings are deleted.</p>
        </Confirm>
      )}
    </li>
  );
}
