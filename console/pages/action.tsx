import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function ActionPage({ params }: PageProps) {
  return (
    <Page title="Action">
      <Empty title={`Action ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
