import { useLoad } from '#console/api/load.ts';
import type { Check, ListedChannel } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { hrefOf } from '#console/rules/address.ts';
import { toldBy } from '#console/rules/told-by.ts';
import { number } from '#console/rules/words.ts';
import { Channels } from './channels.tsx';
import { Deliveries } from './deliveries.tsx';
import { Untold } from './untold.tsx';

/** What was sent, to whom, and of which checks nobody is told. */
export default function AlertsPage({ query }: PageProps) {
  const checks = useLoad<Check[]>('/v1/checks', { all: true });
  const channels = useLoad<ListedChannel[]>('/v1/notify/channels', { all: true });
  const isTold = channels.data && toldBy(channels.data);
  const untold = isTold && checks.data?.filter(({ id }) => !isTold(id));
  const shown = query.get('show') ?? '';
  const hrefTo = (show: string) => hrefOf('/alerts', { show });
  const withCount = (name: string, some: readonly unknown[] | undefined) =>
    some ? `${name} (${number(some.length)})` : name;
  return (
    <Page title="Alerts">
      <Tabs
        label="Alerts"
        current={hrefTo(shown)}
        tabs={[
          { href: hrefTo(''), name: 'Deliveries' },
          { href: hrefTo('channels'), name: withCount('Channels', channels.data) },
          { href: hrefTo('untold'), name: withCount('Checks without a channel', untold) },
        ]}
      />
      <div class="tab-panel">
        {shown === '' && <Deliveries query={query} checks={checks.data} channels={channels.data} />}
        {shown === 'channels' && (
          <Data of={channels} what="Reading the channels">
            {(found) => <Channels channels={found} checks={checks.data} reload={channels.reload} />}
          </Data>
        )}
        {shown === 'untold' && (
          <Data of={channels} what="Reading the channels">
            {() => (
              <Data of={checks} what="Reading the checks">
                {() => <Untold checks={untold ?? []} reload={channels.reload} />}
              </Data>
            )}
          </Data>
        )}
      </div>
    </Page>
  );
}
