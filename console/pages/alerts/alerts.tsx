import { useLoad } from '#console/api/load.ts';
import type { Check, ListedChannel } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { LinkButton } from '#console/parts/link-button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { hasRecipientIn } from '#console/rules/check-recipients.ts';
import { number } from '#console/rules/words.ts';
import { type AlertsProps, tabs } from './tabs.tsx';

const hrefTo = (slug: string): string => `#/alerts/${slug}`;

/** Page of alerts: deliveries, channels, silences, maintenance, defaults, and checks without a channel. */
export default function AlertsPage({ params, query }: PageProps) {
  const checks = useLoad<Check[]>('/v1/checks', { all: true });
  const channels = useLoad<ListedChannel[]>('/v1/notify/channels', { all: true });
  const hasRecipient = channels.data && hasRecipientIn(channels.data);
  const withoutChannel = hasRecipient && checks.data?.filter(({ id }) => !hasRecipient(id));
  const props: AlertsProps = { query, checks, channels, withoutChannel };
  const named = params.part ?? tabs[0]!.slug;
  const current = tabs.find(({ slug }) => slug === named);
  return (
    <Page
      title="Alerts"
      actions={
        <LinkButton href="#/on-call" icon="person">
          On call
        </LinkButton>
      }
    >
      <Tabs
        label="Alerts"
        current={hrefTo(named)}
        tabs={tabs.map(({ slug, name, counted }) => {
          const items = counted?.(props);
          return { href: hrefTo(slug), name: items ? `${name} (${number(items.length)})` : name };
        })}
      />
      <div class="tab-panel">
        {current ? <current.Content {...props} /> : <Empty title={`Unknown tab: ${named}`} />}
      </div>
    </Page>
  );
}
