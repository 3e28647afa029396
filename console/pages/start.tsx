import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { Empty } from '#console/parts/states.tsx';

export default function StartPage({ params }: PageProps) {
  return (
    <Page title="First steps">
      <Empty title={`First steps ${Object.values(params).join(' ')}`} />
    </Page>
  );
}
