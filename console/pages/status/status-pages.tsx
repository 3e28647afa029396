import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { StatusPage } from '#console/api/records.ts';
import { go, newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { hrefOf } from '#console/rules/address.ts';
import { pageBody, STATUS_PAGE } from '#console/rules/status-pages.ts';

export default function StatusPagesPage() {
  const pages = useLoad<StatusPage[]>('/v1/status-pages');
  const why = refusal('configure');
  const { isOpen, open, close } = newRecordDialog('page', why);
  return (
    <Page
      title="Status pages"
      actions={
        <Button icon="add" why={why} onClick={open}>
          New status page
        </Button>
      }
    >
      <Data of={pages} what="Loading the status pages">
        {(found) =>
          found.length === 0 ? (
            <Empty help="status_pages" title="No status pages" icon="pages">
              <p>A status page shows the state of selected entities to visitors without a key.</p>
            </Empty>
          ) : (
            <Table label="Status pages" rows={found} columns={COLUMNS} keyOf={({ id }) => id} />
          )
        }
      </Data>
      {isOpen && (
        <Dialog help="status_pages" title="New status page" wide onClose={close}>
          <SchemaForm
            name="new status page"
            schema={STATUS_PAGE}
            submit="Create status page"
            send={async (body) => {
              const made = await call<StatusPage>('POST', '/v1/status-pages', pageBody(body, undefined));
              showToast('The status page is created.');
              close();
              go(`/status-pages/${made.id}`);
            }}
            onCancel={close}
          />
        </Dialog>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<StatusPage>[] = [
  {
    head: 'Status page',
    grow: true,
    cell: ({ id, title }) => (
      <a href={hrefOf(`/status-pages/${id}`)} dir="auto">
        {title}
      </a>
    ),
  },
  {
    head: 'Address',
    onlyWide: true,
    cell: ({ url, visibility }) =>
      url?.startsWith('http') ? (
        <a href={url} target="_blank" rel="noopener">
          {url}
        </a>
      ) : (
        visibility
      ),
  },
  {
    head: 'Published',
    cell: ({ published_at }) => (published_at ? <Time at={published_at} /> : 'never'),
  },
];
