import { labelOfChannel } from '#console/api/check-names.ts';
import type { Check, Delivery, ListedChannel } from '#console/api/records.ts';
import { setQuery } from '#console/app/router.ts';
import { FeedFilters } from '#console/parts/feed-filters.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { STATUS } from '#console/rules/alert-reason.ts';
import { byName } from '#console/rules/fleet.ts';
import { nameOfCheck } from './check-link.tsx';

const STATUSES = ['failed', 'retrying', 'pending', 'sent'] as const satisfies readonly Delivery['status'][];

export const DELIVERY_FILTERS = ['status', 'channel', 'check'] as const;

type FilterProps = {
  query: URLSearchParams;
  checks: readonly Check[] | undefined;
  channels: readonly ListedChannel[] | undefined;
};

type Option = { value: string; label: string };

/** Returns the options, with the chosen value even if it no longer exists, so that the filter stays visible. */
const withChosen = (allLabel: string, options: Option[], chosen: string): Option[] => [
  { value: '', label: allLabel },
  ...options.toSorted((a, b) => byName(a.label, b.label)),
  ...(chosen && !options.some(({ value }) => value === chosen) ? [{ value: chosen, label: chosen }] : []),
];

export function DeliveryFilters({ query, checks = [], channels = [] }: FilterProps) {
  const value = (name: (typeof DELIVERY_FILTERS)[number]) => query.get(name) ?? '';
  const check = (id: string) => checks.find((one) => one.id === id);
  const channelLabel = (channel: ListedChannel) =>
    channel.scope === 'account'
      ? labelOfChannel(channel)
      : `${labelOfChannel(channel)} of ${nameOfCheck(check(channel.check_id))}`;
  return (
    <FeedFilters label="Filter the deliveries" names={DELIVERY_FILTERS} query={query}>
      <SelectField
        label="Status"
        value={value('status')}
        options={[
          { value: '', label: 'all, failed first' },
          ...STATUSES.map((status) => ({ value: status, label: STATUS[status] })),
        ]}
        onChange={(status) => setQuery({ status })}
      />
      <SelectField
        label="Channel"
        value={value('channel')}
        options={withChosen(
          'all',
          channels.map((channel) => ({ value: channel.id, label: channelLabel(channel) })),
          value('channel'),
        )}
        onChange={(channel) => setQuery({ channel })}
      />
      <SelectField
        label="Check"
        value={value('check')}
        options={withChosen(
          'all',
          checks.map((one) => ({ value: one.id, label: nameOfCheck(one) })),
          value('check'),
        )}
        onChange={(wanted) => setQuery({ check: wanted })}
      />
    </FeedFilters>
  );
}
