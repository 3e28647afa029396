import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function ExecutionPage({ params }: PageProps) {
  return (
    <Page title="Execution">
      <Empty title={`Execution ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
