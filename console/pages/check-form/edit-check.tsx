import { ApiFailure, call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check } from '#console/api/records.ts';
import { schemas, type TypeSchema } from '#console/api/schemas.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go } from '#console/app/router.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Page, Section } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { labelChanges } from '#console/rules/labels.ts';
import { SettingsTest } from './test-settings.tsx';

export default function EditCheckPage({ params }: PageProps) {
  const check = useLoad<Check>(`/v1/checks/${encodeURIComponent(params.id!)}`);
  const schema = check.data && schemas.checks[check.data.check_type];
  return (
    <Page
      title={check.data ? <span dir="auto">Edit {labelOf(check.data)}</span> : 'Edit check'}
      above={<a href={`#${pathTo('/checks/:id', { id: params.id! })}`}>Back to the check</a>}
    >
      <Data of={check} what="Loading the check">
        {(found) =>
          schema ? (
            <Section help="settings" title={schema.title}>
              <EditForm check={found} schema={schema} />
            </Section>
          ) : (
            <Empty title={`Unknown check type ${found.check_type}. Reload the page.`} />
          )
        }
      </Data>
    </Page>
  );
}

/** Throws ApiFailure for emptied settings: the API treats null as absent, so they cannot be removed. */
function assertNotRemoved(body: Record<string, unknown>, check: Check): void {
  const details = Object.keys(body)
    .filter((name) => body[name] === null && check[name as keyof Check] !== null)
    .map((path) => ({ path, message: 'cannot be removed: enter another value' }));
  if (details.length === 0) return;
  throw new ApiFailure('Some settings cannot be removed.', { status: 400, code: 'VALIDATION_ERROR', details });
}

function EditForm({ check, schema }: { check: Check; schema: TypeSchema }) {
  const specs = fieldsOf(schema, ['entity_id', 'entity']);
  const form = useForm({
    name: `check ${check.id}`,
    specs,
    record: check,
    async send(typed) {
      const labels = labelChanges(check.labels, (typed.labels ?? {}) as Record<string, string>);
      // An empty string removes a name or slug; the API treats null as absent.
      const emptied = Object.fromEntries(['name', 'slug'].filter((one) => typed[one] === null).map((one) => [one, '']));
      const body = { ...typed, labels, ...emptied };
      assertNotRemoved(body, check);
      await call('PUT', `/v1/checks/${check.id}`, body);
      showToast('The check is changed.');
      go(pathTo('/checks/:id', { id: check.id }));
    },
  });
  return (
    <Form form={form} submit="Save check" onCancel={() => go(pathTo('/checks/:id', { id: check.id }))}>
      <FormFields form={form} specs={specs} />
      {check.execution_mode === 'pull' && (
        <SettingsTest form={form} settings={() => ({ ...form.body(), check_id: check.id })} />
      )}
    </Form>
  );
}
