import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function EntityPage({ params }: PageProps) {
  return (
    <Page title="Entity">
      <Empty title={`Entity ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
