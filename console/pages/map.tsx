import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function MapPage({ params }: PageProps) {
  return (
    <Page title="Map">
      <Empty title={`Map ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
