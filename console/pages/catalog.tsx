import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function CatalogPage({ params }: PageProps) {
  return (
    <Page title="Catalog">
      <Empty title={`Catalog ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
