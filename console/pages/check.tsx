import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function CheckPage({ params }: PageProps) {
  return (
    <Page title="Check">
      <Empty title={`Check ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
