import type { ComponentType } from 'preact';
import type { Loaded } from '#console/api/load.ts';
import type { Check, ListedChannel } from '#console/api/records.ts';
import { Data } from '#console/parts/states.tsx';
import { Channels } from './channels.tsx';
import { ChecksWithoutChannel } from './checks-without-channel.tsx';
import { Defaults } from './defaults.tsx';
import { Deliveries } from './deliveries.tsx';
import { Silences } from './silences.tsx';
import { Windows } from './windows/windows.tsx';

/** Props of every tab; `counted` selects from them. */
export type AlertsProps = {
  query: URLSearchParams;
  checks: Loaded<Check[]>;
  channels: Loaded<ListedChannel[]>;
  /** Checks without a channel; undefined until known. */
  withoutChannel: readonly Check[] | undefined;
};

type AlertsTab = {
  slug: string;
  name: string;
  Content: ComponentType<AlertsProps>;
  /** Returns the items whose number the tab shows; undefined until known. */
  counted?: (props: AlertsProps) => readonly unknown[] | undefined;
};

/** Tabs of the alerts page, in order; the first is the default. */
export const tabs: readonly AlertsTab[] = [
  {
    slug: 'deliveries',
    name: 'Deliveries',
    Content: ({ query, checks, channels }) => (
      <Deliveries query={query} checks={checks.data} channels={channels.data} />
    ),
  },
  {
    slug: 'channels',
    name: 'Channels',
    counted: ({ channels }) => channels.data,
    Content: ({ checks, channels }) => (
      <Data of={channels} what="Loading the channels">
        {(found) => <Channels channels={found} checks={checks.data} reload={channels.reload} />}
      </Data>
    ),
  },
  { slug: 'silences', name: 'Silences', Content: ({ checks }) => <Silences checks={checks.data} /> },
  { slug: 'windows', name: 'Maintenance', Content: Windows },
  {
    slug: 'defaults',
    name: 'Default policy',
    Content: ({ channels }) => (
      <Data of={channels} what="Loading the channels">
        {(found) => <Defaults channels={found} />}
      </Data>
    ),
  },
  {
    slug: 'no-channel',
    name: 'Checks without a channel',
    counted: ({ withoutChannel }) => withoutChannel,
    Content: ({ checks, channels, withoutChannel }) => (
      <Data of={channels} what="Loading the channels">
        {() => (
          <Data of={checks} what="Loading the checks">
            {() => <ChecksWithoutChannel checks={withoutChannel ?? []} reload={channels.reload} />}
          </Data>
        )}
      </Data>
    ),
  },
];
