import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function AgentsPage({ params }: PageProps) {
  return (
    <Page title="Agents">
      <Empty title={`Agents ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
