import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function ActionsPage({ params }: PageProps) {
  return (
    <Page title="Actions">
      <Empty title={`Actions ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
