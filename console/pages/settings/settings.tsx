import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { tabs } from './tabs.ts';

const hrefOf = (slug: string): string => `#/settings/${slug}`;

export default function SettingsPage({ params }: PageProps) {
  const named = params.part ?? tabs[0]!.slug;
  const current = tabs.find(({ slug }) => slug === named);
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs.map(({ slug, name }) => ({ href: hrefOf(slug), name }))}
        current={hrefOf(named)}
      />
      {current ? <current.Content /> : <Empty title={`Unknown tab: ${named}`} />}
    </Page>
  );
}
