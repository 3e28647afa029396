import { useMemo } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Action, Execution } from '#console/api/records.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Section } from '#console/parts/page.tsx';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { runSchema } from '#console/rules/run-variables.ts';

/** Runs an action now, with a field for each template variable, and opens the execution. */
export function RunForm({ action }: { action: Action }) {
  const specs = useMemo(() => fieldsOf(runSchema(action)), [action]);
  const form = useForm({
    name: `run ${action.id}`,
    specs,
    send: async (body) => {
      const { id } = await call<Execution>('POST', `/v1/actions/${action.id}/run`, body);
      go(`/executions/${id}`);
    },
  });
  return (
    <Section title="Run">
      <Form form={form} submit="Run now" why={refusal('respond')}>
        {specs.length > 0 ? (
          <FormFields form={form} specs={specs} />
        ) : (
          <p class="hint">This action has no variables.</p>
        )}
      </Form>
    </Section>
  );
}
