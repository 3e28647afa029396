import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function BlueprintPage({ params }: PageProps) {
  return (
    <Page title="Blueprint">
      <Empty title={`Blueprint ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
