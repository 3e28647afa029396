import type { ComponentType } from 'preact';
import type { Loaded } from '#console/api/load.ts';
import type { Check, ListedChannel } from '#console/api/records.ts';
import { Data } from '#console/parts/states.tsx';
import { Channels } from './channels.tsx';
import { Untold } from './checks-without-channel.tsx';
import { Defaults } from './defaults.tsx';
import { Deliveries } from './deliveries.tsx';
import { Silences } from './silences.tsx';
import { Windows } from './windows/windows.tsx';

/** What the tabs count, and so is there for every part. */
export type AlertsProps = {
  query: URLSearchParams;
  checks: Loaded<Check[]>;
  channels: Loaded<ListedChannel[]>;
  /** Checks without a channel; undefined while that is not known. */
  untold: readonly Check[] | undefined;
};

type Part = {
  /** The end of its address: `#/alerts/channels`. */
  part: string;
  name: string;
  Part: ComponentType<AlertsProps>;
  /** How many there are, for its tab. */
  counted?: (props: AlertsProps) => readonly unknown[] | undefined;
};

/** The parts of the alerts, in the order of their tabs; the first is shown where none is named. */
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
      <Data of={channels} what="Reading the channels">
        {(found) => <Channels channels={found} checks={checks.data} reload={channels.reload} />}
      </Data>
    ),
  },
  { part: 'silences', name: 'Silences', Part: Silences },
  { part: 'windows', name: 'Maintenance', Part: Windows },
  {
    part: 'defaults',
    name: 'Default policy',
    Part: ({ channels }) => (
      <Data of={channels} what="Reading the channels">
        {(found) => <Defaults channels={found} />}
      </Data>
    ),
  },
  {
    part: 'untold',
    name: 'Checks without a channel',
    counted: ({ untold }) => untold,
    Part: ({ checks, channels, untold }) => (
      <Data of={channels} what="Reading the channels">
        {() => (
          <Data of={checks} what="Reading the checks">
            {() => <Untold checks={untold ?? []} reload={channels.reload} />}
          </Data>
        )}
      </Data>
    ),
  },
];
