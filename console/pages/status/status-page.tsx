import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { StatusPage } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Page, Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { hrefOf } from '#console/rules/address.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { formRecord, pageBody, STATUS_PAGE } from '#console/rules/status-pages.ts';
import { Logo } from './logo.tsx';
import { Preview } from './preview.tsx';
import { Subscribers } from './subscribers.tsx';

const SPECS = fieldsOf(STATUS_PAGE);

export default function StatusPagePage({ params }: PageProps) {
  const path = `/v1/status-pages/${params.id}`;
  const loaded = useLoad<StatusPage>(path);
  return (
    <Data of={loaded} what="Loading the status page">
      {(page) => <Editor key={page.updated_at} page={page} reload={loaded.reload} />}
    </Data>
  );
}

function Editor({ page, reload }: { page: StatusPage; reload: () => void }) {
  const path = `/v1/status-pages/${page.id}`;
  const why = refusal('configure');
  const [isDeleting, setDeleting] = useState(false);
  const form = useForm({
    name: `status page ${page.id}`,
    specs: SPECS,
    record: formRecord(page),
    send: async (body) => {
      await call('PUT', path, pageBody(body, page));
      showToast('The status page is changed.');
      reload();
    },
  });
  const missing = page.groups
    .flatMap(({ components }) => components)
    .filter(({ id }) => page.missing_component_ids.includes(id));
  return (
    <Page
      title={page.title}
      above={<a href={hrefOf('/status-pages')}>Status pages</a>}
      actions={
        <span class="row-actions">
          {page.url?.startsWith('http') && (
            <a href={page.url} target="_blank" rel="noopener">
              Open page
            </a>
          )}
          <Button why={why} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      }
    >
      {missing.length > 0 && (
        <p class="banner">
          Visitors see “unknown” for components whose entity or check was deleted:{' '}
          {missing.map(({ name }) => name).join(', ')}.
        </p>
      )}
      <div class="status-editor">
        <div>
          <Section title="Settings" help="status_pages">
            {page.domain && (
              <p class="hint">
                Domain: <code>{page.domain}</code>, set by the operator. It serves the page while the visibility is
                public.
              </p>
            )}
            <Form form={form} submit="Save status page" why={why}>
              <FormFields form={form} specs={SPECS} />
            </Form>
          </Section>
          <Section title="Logo">
            <Logo path={path} why={why} onChange={reload} />
          </Section>
          <Subscribers page={page} />
        </div>
        <Section title="Preview">
          <Preview path={path} changes={form.changed ? pageBody(form.body(), page) : {}} />
        </Section>
      </div>
      {isDeleting && (
        <Confirm
          title={`Delete ${page.title}?`}
          action="Delete status page"
          run={async () => {
            await call('DELETE', path);
            showToast('The status page is deleted.');
            go('/status-pages');
          }}
          onClose={() => setDeleting(false)}
        >
          <p>Visitors get “This page does not exist” within 30 seconds.</p>
        </Confirm>
      )}
    </Page>
  );
}
