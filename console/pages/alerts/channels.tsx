import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { labelOfChannel } from '#console/api/check-names.ts';
import type { Check, Delivery, ListedChannel } from '#console/api/records.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { AccountChannelForm } from '#console/parts/alerts/account-channel-form.tsx';
import { DELIVERY_STATE } from '#console/parts/alerts/delivery-list.tsx';
import { MailAddresses } from '#console/parts/alerts/mail-addresses.tsx';
import { SelectorText } from '#console/parts/alerts/selector-text.tsx';
import { Button } from '#console/parts/button.tsx';
import { ChannelForm } from '#console/parts/channel-form.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { STATUS } from '#console/rules/alert-reason.ts';
import { byName } from '#console/rules/fleet.ts';
import { severityRank } from '#console/rules/states.ts';
import { ChannelTest } from './channel-test.tsx';
import { CheckLink, nameOfCheck } from './check-link.tsx';

type ChannelsProps = { channels: readonly ListedChannel[]; checks: readonly Check[] | undefined; reload: () => void };

const pathOf = (channel: ListedChannel): string =>
  channel.scope === 'account'
    ? `/v1/notify/channels/${channel.id}`
    : `/v1/checks/${channel.check_id}/policy/channels/${channel.id}`;

/** Sends a test alert. Throws the error of the receiver or the API. */
async function sendTest(channel: ListedChannel): Promise<void> {
  const delivery = await call<Delivery>('POST', `${pathOf(channel)}/test`);
  if (delivery.status === 'failed') throw new Error(delivery.error);
}

/** Lists all channels, of the account and of single checks, with the last delivery of each. */
export function Channels({ channels, checks, reload }: ChannelsProps) {
  const [edited, edit] = useState<ListedChannel | undefined>(undefined);
  const why = refusal('write');
  const newChannel = newRecordDialog('channel', why);
  const close = () => (edited ? edit(undefined) : newChannel.close());
  return (
    <>
      <p class="above-form">
        <Button icon="add" why={why} onClick={newChannel.open}>
          New account channel
        </Button>
      </p>
      {channels.length === 0 ? (
        <Empty help="channels" title="No channels yet" icon="alerts">
          <p>Add one to receive alerts of all or selected checks.</p>
        </Empty>
      ) : (
        <ChannelTable channels={channels} checks={checks} reload={reload} edit={edit} />
      )}
      {(newChannel.isOpen || edited) && (
        <Dialog
          help="channels"
          title={edited ? `Edit ${labelOfChannel(edited)}` : 'New account channel'}
          wide
          onClose={close}
        >
          <EditForm
            channel={edited}
            onSaved={() => {
              close();
              reload();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

type EditProps = { channel: ListedChannel | undefined; onSaved: () => void; onCancel: () => void };

function EditForm({ channel, onSaved, onCancel }: EditProps) {
  if (channel?.scope !== 'check')
    return <AccountChannelForm {...(channel && { channel })} onSaved={onSaved} onCancel={onCancel} />;
  return (
    <ChannelForm
      name={`channel ${channel.id}`}
      submit="Save channel"
      channel={channel}
      send={async (body) => {
        await call('PUT', pathOf(channel), body);
        showToast('The channel is changed.');
        onSaved();
      }}
      onCancel={onCancel}
    />
  );
}

type TableProps = ChannelsProps & { edit: (channel: ListedChannel) => void };

function ChannelTable({ channels, checks, reload, edit }: TableProps) {
  const selection = useSelection();
  const columns = useMemo(() => columnsOf(checks, reload, edit), [checks, reload]);
  const find = (key: string) => channels.find(({ id }) => id === key)!;
  return (
    <>
      <Table label="Channels" rows={channels} columns={columns} keyOf={({ id }) => id} selection={selection} />
      <BulkBar
        selection={selection}
        noun={['channel', 'channels']}
        nameOf={(key) => {
          const channel = channels.find(({ id }) => id === key);
          return channel ? labelOfChannel(channel) : key;
        }}
        actions={[
          { name: 'Send test', why: refusal('respond'), work: (key) => sendTest(find(key)) },
          {
            name: 'Remove',
            kind: 'danger',
            why: refusal('write'),
            consequence:
              'They receive no more alerts, and pending deliveries to them fail. Their settings are deleted.',
            work: (key) => call('DELETE', pathOf(find(key))),
          },
        ]}
        onDone={reload}
      />
    </>
  );
}

function columnsOf(
  checks: readonly Check[] | undefined,
  reload: () => void,
  edit: (channel: ListedChannel) => void,
): readonly Column<ListedChannel>[] {
  const checkOf = new Map(checks?.map((check) => [check.id, check]));
  const ownerOf = (channel: ListedChannel) =>
    channel.scope === 'account' ? channel.name : nameOfCheck(checkOf.get(channel.check_id));
  return [
    {
      head: 'Check or name',
      grow: true,
      cell: (channel) => (
        <>
          {channel.scope === 'account' ? (
            <>
              <strong dir="auto">{channel.name}</strong>
              {!channel.enabled && <span class="tag">disabled</span>}
            </>
          ) : (
            <CheckLink id={channel.check_id} check={checkOf.get(channel.check_id)} />
          )}
          <span class="why" dir="auto" title={channel.last_delivery?.error}>
            {channel.scope === 'account' && (
              <>
                alerts of <SelectorText of={channel.applies_to} />{' '}
              </>
            )}
            <span class="narrow">{labelOfChannel(channel)} </span>
            {channel.last_delivery?.error}
          </span>
          <MailAddresses addresses={channel.addresses} onChange={reload} />
        </>
      ),
      compare: (a, b) => byName(ownerOf(a), ownerOf(b)),
    },
    {
      head: 'Channel',
      onlyWide: true,
      cell: (channel) => (
        <span class="cut" dir="auto" title={labelOfChannel(channel)}>
          {labelOfChannel(channel)}
        </span>
      ),
      compare: (a, b) => byName(labelOfChannel(a), labelOfChannel(b)),
    },
    {
      head: 'Last delivery',
      onlyWide: true,
      cell: ({ id, last_delivery: last }) =>
        last ? (
          <a class="last-delivery" href={`#/alerts?channel=${id}`}>
            <StateMark state={DELIVERY_STATE[last.status]} word={STATUS[last.status]} /> <Time at={last.created_at} />
          </a>
        ) : (
          <span class="hint">none yet</span>
        ),
      compare: (a, b) => rank(a) - rank(b),
    },
    {
      head: 'Actions',
      cell: (channel) => (
        <span class="channel-actions">
          <ChannelTest name={labelOfChannel(channel)} path={pathOf(channel)} onDone={reload} />
          <Button
            small
            quiet
            why={refusal('write')}
            label={`Edit ${labelOfChannel(channel)}`}
            onClick={() => edit(channel)}
          >
            Edit
          </Button>
        </span>
      ),
    },
  ];
}

const rank = ({ last_delivery: last }: ListedChannel): number => (last ? severityRank(DELIVERY_STATE[last.status]) : 9);
