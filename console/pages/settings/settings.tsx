import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { parts } from './parts.ts';

const hrefOf = (part: string): string => `#/settings/${part}`;

export default function SettingsPage({ params }: PageProps) {
  const named = params.part ?? parts[0]!.part;
  const current = parts.find(({ part }) => part === named);
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={parts.map(({ part, name }) => ({ href: hrefOf(part), name }))}
        current={hrefOf(named)}
      />
      {current ? <current.Part /> : <Empty title={`Unknown tab: ${named}`} />}
    </Page>
  );
}
