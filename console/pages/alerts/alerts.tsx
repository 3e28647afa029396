import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function AlertsPage({ params }: PageProps) {
  return (
    <Page title="Alerts">
      <Empty title={`Alerts ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
