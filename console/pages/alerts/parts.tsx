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

/** Data that the tabs count, and that every part receives. */
export type AlertsProps = {
  query: URLSearchParams;
  checks: Loaded<Check[]>;
  channels: Loaded<ListedChannel[]>;
  /** Checks without a channel; undefined until known. */
  withoutChannel: readonly Check[] | undefined;
};

type Part = {
  part: string;
  name: string;
  Part: ComponentType<AlertsProps>;
  counted?: (props: AlertsProps) => readonly unknown[] | undefined;
};

/** Tabs of the alerts page, in order; the first is the default. */
export const parts: readonly Part[] = [
  {
    part: 'deliveries',
    name: 'Deliveries',
    Part: ({ query, checks, channels }) => <Deliveries query={query} checks={checks.data} channels={channels.data} />,
  },
  {
    part: 'channels',
    name: 'Channels',
    counted: ({ channels }) => channels.data,
    Part: ({ checks, channels }) => (
      <Data of={channels} what="Loading the channels">
        {(found) => <Channels channels={found} checks={checks.data} reload={channels.reload} />}
      </Data>
    ),
  },
  { part: 'silences', name: 'Silences', Part: ({ checks }) => <Silences checks={checks.data} /> },
  { part: 'windows', name: 'Maintenance', Part: Windows },
  {
    part: 'defaults',
    name: 'Default policy',
    Part: ({ channels }) => (
      <Data of={channels} what="Loading the channels">
        {(found) => <Defaults channels={found} />}
      </Data>
    ),
  },
  {
    part: 'no-channel',
    name: 'Checks without a channel',
    counted: ({ withoutChannel }) => withoutChannel,
    Part: ({ checks, channels, withoutChannel }) => (
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
