import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function ChecksPage({ params }: PageProps) {
  return (
    <Page title="Checks">
      <Empty title={`Checks ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
