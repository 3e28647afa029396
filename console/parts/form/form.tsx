import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '#console/parts/button.tsx';
import type { Draft } from '#console/rules/form-draft.ts';
import { type FieldSpec, fieldsOf, type MemberSchema } from '#console/rules/form-fields.ts';
import { FormField } from './form-field.tsx';
import { type FormState, useForm } from './use-form.ts';

type FormProps = {
  form: FormState;
  submit: string;
  why?: string | undefined;
  onCancel?: (() => void) | undefined;
  children: ComponentChildren;
};

/** Form with its errors, fields, and buttons. */
export const Form = ({ form, submit, why, onCancel, children }: FormProps) => {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.failure) showFirstError(element.current!);
  }, [form.failure]);
  return (
    <form
      ref={element}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (why === undefined) void form.submit();
      }}
    >
      {form.rest.length > 0 && (
        <div class="failure" role="alert">
          {form.rest.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {children}
      <footer>
        <Button type="submit" kind="main" why={why} busy={form.busy}>
          {submit}
        </Button>
        {onCancel && (
          <Button
            onClick={() => {
              form.reset();
              onCancel();
            }}
          >
            Cancel
          </Button>
        )}
        {form.changed && <span class="hint">Unsaved changes, kept in this tab.</span>}
      </footer>
    </form>
  );
};

/** Scrolls to the first error, and focuses its field. */
function showFirstError(form: HTMLFormElement): void {
  const error = form.querySelector('.field-error, .failure');
  const field = error?.closest('.field')?.querySelector<HTMLElement>('input, select, textarea, button');
  field?.focus({ preventScroll: true });
  error?.scrollIntoView({ block: 'center' });
}

type SchemaFormProps = Omit<FormProps, 'form' | 'children'> & {
  name: string;
  schema: MemberSchema;
  skip?: readonly string[];
  record?: object | undefined;
  derive?: (draft: Draft) => Draft;
  send(body: Record<string, unknown>): Promise<unknown>;
};

/** Form with a field for each property of a schema. */
export function SchemaForm({ name, schema, skip, record, derive, send, ...rest }: SchemaFormProps) {
  const specs = fieldsOf(schema, skip);
  const form = useForm({ name, specs, record, derive, send });
  return (
    <Form form={form} {...rest}>
      <FormFields form={form} specs={specs} />
    </Form>
  );
}

/** Fields of a form, in two columns if they fit. */
export const FormFields = ({ form, specs }: { form: FormState; specs: readonly FieldSpec[] }) => (
  <div class="fields">
    {specs.map((spec) => (
      <FormField key={spec.path} form={form} spec={spec} />
    ))}
  </div>
);
