import { useLoad } from '#console/api/load.ts';
import type { Channel, Check } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { number } from '#console/rules/words.ts';
import { type AlertsProps, parts } from './parts.tsx';

const hrefTo = (part: string): string => `#/alerts/${part}`;

/** What was sent, to whom, and of which checks nobody is told. */
export default function AlertsPage({ params, query }: PageProps) {
  const checks = useLoad<Check[]>('/v1/checks', { all: true });
  const channels = useLoad<Channel[]>('/v1/notify/channels', { all: true });
  const told = channels.data && new Set(channels.data.map(({ check_id }) => check_id));
  const untold = told && checks.data?.filter(({ id }) => !told.has(id));
  const props: AlertsProps = { query, checks, channels, untold };
  const named = params.part ?? parts[0]!.part;
  const current = parts.find(({ part }) => part === named);
  return (
    <Page title="Alerts">
      <Tabs
        label="Alerts"
        current={hrefTo(named)}
        tabs={parts.map(({ part, name, counted }) => {
          const some = counted?.(props);
          return { href: hrefTo(part), name: some ? `${name} (${number(some.length)})` : name };
        })}
      />
      <div class="tab-panel">
        {current ? <current.Part {...props} /> : <Empty title={`There is nothing called ${named} among the alerts`} />}
      </div>
    </Page>
  );
}
