import { useMemo } from 'preact/hooks';
import { channelTitle, labelOfChannel } from '#console/api/check-names.ts';
import { useEvery } from '#console/api/every.ts';
import { useLiveFeed } from '#console/api/live-feed.ts';
import type { Check, Delivery, ListedChannel } from '#console/api/records.ts';
import { DELIVERY_STATE } from '#console/parts/alerts/delivery-list.tsx';
import { Button } from '#console/parts/button.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { isOpen, kindOf, STATUS } from '#console/rules/alert-reason.ts';
import { entityIncidentsHref } from '#console/rules/incidents.ts';
import { STATE_WORD, severityRank } from '#console/rules/states.ts';
import { CheckLink } from './check-link.tsx';
import { DELIVERY_FILTERS, DeliveryFilters } from './delivery-filters.tsx';

const POLL_MS = 5000;
const PAGE_SIZE = '100';

type DeliveriesProps = {
  query: URLSearchParams;
  checks: readonly Check[] | undefined;
  channels: readonly ListedChannel[] | undefined;
};

/** Lists the deliveries, failed ones first. */
export function Deliveries({ query, checks, channels }: DeliveriesProps) {
  const [status, channel, check] = DELIVERY_FILTERS.map((name) => query.get(name) ?? '');
  const filters = Object.entries({ limit: PAGE_SIZE, status, channel_id: channel, check_id: check }).filter(
    (pair): pair is [string, string] => Boolean(pair[1]),
  );
  const feed = useLiveFeed<Delivery>(
    `/v1/notify/logs?${new URLSearchParams(filters)}`,
    ({ check_id }) => !check || check_id === check,
  );
  const { items, failure, loading, hasMore, more, reload, renew } = feed;
  useEvery(items.some(isOpen) ? POLL_MS : undefined, renew);
  const rows = useMemo(
    () => items.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed')),
    [items],
  );
  const columns = useMemo(() => columnsOf(checks, channels), [checks, channels]);
  const isFirstLoad = loading && items.length === 0;
  return (
    <>
      <DeliveryFilters query={query} checks={checks} channels={channels} />
      {failure && <Failure failure={failure} retry={reload} />}
      {isFirstLoad && <Loading what="Loading the deliveries" lines={8} />}
      {rows.length > 0 && <Table label="Deliveries" rows={rows} columns={columns} keyOf={({ id }) => id} />}
      {!isFirstLoad && !failure && rows.length === 0 && !hasMore && (
        <Empty
          help="deliveries"
          title={filters.length > 1 ? 'No matching deliveries' : 'No deliveries yet'}
          icon="alerts"
        />
      )}
      {hasMore && !isFirstLoad && (
        <p class="more">
          {rows.length === 0 && 'No matches among the newest deliveries. '}
          <Button small busy={loading} onClick={more}>
            Show older deliveries
          </Button>
        </p>
      )}
    </>
  );
}

const ReportedChange = ({ of: { from_state: from, to_state: to } }: { of: Delivery }) =>
  from && to ? (
    <StateMark state={to} word={from === to ? STATE_WORD[to] : `${STATE_WORD[from]} → ${STATE_WORD[to]}`} />
  ) : null;

const SUBJECT_WITHOUT_CHECK: Partial<Record<Delivery['kind'], string>> = {
  status_update: 'Status page',
  monthly_report: 'Uptime of the account',
};

function columnsOf(
  checks: readonly Check[] | undefined,
  channels: readonly ListedChannel[] | undefined,
): readonly Column<Delivery>[] {
  const checkOf = new Map(checks?.map((check) => [check.id, check]));
  const channelOf = new Map(channels?.map((channel) => [channel.id, channel]));
  const receiverOf = ({ kind, channel_id, channel_type }: Delivery) => {
    if (kind === 'status_update') return `${channelTitle(channel_type)} (subscriber)`;
    if (kind === 'monthly_report') return `${channelTitle(channel_type)} (user)`;
    const channel = channelOf.get(channel_id);
    if (channel) return labelOfChannel(channel);
    return channels ? `${channelTitle(channel_type)} (removed)` : channelTitle(channel_type);
  };
  return [
    {
      head: 'Status',
      cell: ({ status }) => (status === 'failed' ? <strong>{STATUS[status]}</strong> : STATUS[status]),
      compare: (a, b) => severityRank(DELIVERY_STATE[a.status]) - severityRank(DELIVERY_STATE[b.status]),
    },
    {
      head: 'State',
      onlyWide: true,
      cell: (delivery) => <ReportedChange of={delivery} />,
    },
    {
      head: 'About',
      grow: true,
      cell: (delivery) => (
        <>
          {delivery.check_id ? (
            <CheckLink id={delivery.check_id} check={checkOf.get(delivery.check_id)} />
          ) : (
            (SUBJECT_WITHOUT_CHECK[delivery.kind] ?? 'Account channel')
          )}
          <span class={delivery.error ? 'why' : 'why narrow'} dir="auto" title={delivery.error}>
            <span class="narrow">
              <ReportedChange of={delivery} /> {kindOf(delivery)}, {receiverOf(delivery)}{' '}
            </span>
            {delivery.error}
          </span>
        </>
      ),
    },
    {
      head: 'Kind',
      onlyWide: true,
      cell: (one) => (
        <>
          {one.kind === 'test' || !one.entity_id ? (
            kindOf(one)
          ) : (
            <a href={entityIncidentsHref(one.entity_id)}>{kindOf(one)}</a>
          )}
          {one.combined_in && <span class="hint"> combined</span>}
        </>
      ),
    },
    {
      head: 'To',
      onlyWide: true,
      cell: (delivery) => (
        <span class="cut" dir="auto" title={receiverOf(delivery)}>
          {receiverOf(delivery)}
        </span>
      ),
    },
    { head: 'Attempts', onlyWide: true, numeric: true, cell: ({ attempts }) => attempts },
    {
      head: 'When',
      numeric: true,
      cell: ({ sent_at, created_at }) => <Time at={sent_at ?? created_at} />,
      compare: (a, b) => (a.created_at < b.created_at ? 1 : -1),
    },
  ];
}
