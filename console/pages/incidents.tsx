import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function IncidentsPage({ params }: PageProps) {
  return (
    <Page title="Incidents">
      <Empty title={`Incidents ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
