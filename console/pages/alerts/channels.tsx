import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { channelTitle } from '#console/api/check-names.ts';
import type { Check, Delivery, ListedChannel } from '#console/api/records.ts';
import { tell, warn } from '#console/app/notices.tsx';
import { refusal } from '#console/app/session.ts';
import { DELIVERY_LOOK } from '#console/parts/alerts/delivery-list.tsx';
import { Button } from '#console/parts/button.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { BulkBar } from '#console/parts/table/bulk.tsx';
import { useSelection } from '#console/parts/table/selection.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { STATUS } from '#console/rules/alert-reason.ts';
import { channelName } from '#console/rules/check-label.ts';
import { byName } from '#console/rules/fleet.ts';
import { severity } from '#console/rules/states.ts';
import { CheckLink, nameOfCheck } from './about.tsx';

type ChannelsProps = { channels: readonly ListedChannel[]; checks: readonly Check[] | undefined; reload: () => void };

const pathOf = (channel: ListedChannel): string =>
  channel.scope === 'account'
    ? `/v1/notify/channels/${channel.id}`
    : `/v1/checks/${channel.check_id}/policy/channels/${channel.id}`;

/** `Slack hooks.slack.com` */
const nameOf = (channel: ListedChannel): string =>
  [channelTitle(channel.channel_type), channelName(channel)].join(' ').trim();

/** Sends a test, and answers what became of it. Throws what the receiver, or the API, has said against it. */
async function sendTest(channel: ListedChannel): Promise<Delivery> {
  const delivery = await call<Delivery>('POST', `${pathOf(channel)}/test`);
  if (delivery.status === 'failed') throw new Error(delivery.error);
  return delivery;
}

/** Every channel of the account, and what was sent to it last. */
export function Channels({ channels, checks, reload }: ChannelsProps) {
  const selection = useSelection();
  const columns = useMemo(() => columnsOf(checks, reload), [checks, reload]);
  const find = (key: string) => channels.find(({ id }) => id === key)!;
  if (channels.length === 0) {
    return (
      <Empty title="There is no channel yet: nobody is told of anything" icon="alerts">
        <a href="#/alerts/untold">Choose checks, and add one to each</a>
      </Empty>
    );
  }
  return (
    <>
      <Table label="Channels" rows={channels} columns={columns} keyOf={({ id }) => id} selection={selection} />
      <BulkBar
        selection={selection}
        noun={['channel', 'channels']}
        nameOf={(key) => {
          const channel = channels.find(({ id }) => id === key);
          return channel ? nameOf(channel) : key;
        }}
        actions={[
          { name: 'Send a test', why: refusal('respond'), work: (key) => sendTest(find(key)) },
          {
            name: 'Remove',
            kind: 'danger',
            why: refusal('write'),
            loses: 'They get no more alerts, what is on its way to them ends as failed, and their addresses are lost.',
            work: (key) => call('DELETE', pathOf(find(key))),
          },
        ]}
        onDone={reload}
      />
    </>
  );
}

function columnsOf(checks: readonly Check[] | undefined, reload: () => void): readonly Column<ListedChannel>[] {
  const checkOf = new Map(checks?.map((check) => [check.id, check]));
  const ownerOf = (channel: ListedChannel) =>
    channel.scope === 'account' ? channel.name : nameOfCheck(checkOf.get(channel.check_id));
  return [
    {
      head: 'Check, or name',
      grow: true,
      cell: (channel) => (
        <>
          {channel.scope === 'account' ? (
            <span dir="auto">{channel.name}</span>
          ) : (
            <CheckLink id={channel.check_id} check={checkOf.get(channel.check_id)} />
          )}
          <span class="why" dir="auto" title={channel.last_delivery?.error}>
            <span class="narrow">{nameOf(channel)} </span>
            {channel.last_delivery?.error}
          </span>
        </>
      ),
      compare: (a, b) => byName(ownerOf(a), ownerOf(b)),
    },
    {
      head: 'Channel',
      wide: true,
      cell: (channel) => (
        <span class="cut" dir="auto" title={nameOf(channel)}>
          <strong>{channelTitle(channel.channel_type)}</strong> {channelName(channel)}
        </span>
      ),
      compare: (a, b) => byName(nameOf(a), nameOf(b)),
    },
    {
      head: 'Last delivery',
      wide: true,
      cell: ({ id, last_delivery: last }) =>
        last ? (
          <a class="last-delivery" href={`#/alerts?channel=${id}`}>
            <StateMark state={DELIVERY_LOOK[last.status]} word={STATUS[last.status]} /> <Time at={last.created_at} />
          </a>
        ) : (
          <span class="hint">none yet</span>
        ),
      compare: (a, b) => rank(a) - rank(b),
    },
    { head: 'Test', cell: (channel) => <TestButton channel={channel} reload={reload} /> },
  ];
}

/** What failed last comes first, and what never got anything last. */
const rank = ({ last_delivery: last }: ListedChannel): number => (last ? severity(DELIVERY_LOOK[last.status]) : 9);

function TestButton({ channel, reload }: { channel: ListedChannel; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  async function test() {
    setBusy(true);
    try {
      const { status } = await sendTest(channel);
      tell(`The test to ${nameOf(channel)}: ${STATUS[status].toLowerCase()}.`);
    } catch (error) {
      warn(`The test to ${nameOf(channel)} failed: ${error instanceof Error ? error.message : error}`);
    }
    setBusy(false);
    reload();
  }
  return (
    <Button small why={refusal('respond')} busy={busy} onClick={() => void test()}>
      {busy ? 'Sending' : 'Send a test'}
    </Button>
  );
}
