import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '#console/parts/button.tsx';
import { focusField } from '#console/parts/typing.ts';
import type { Draft } from '#console/rules/form-draft.ts';
import { type FieldSpec, type FormSchema, fieldsOf, groupsOf } from '#console/rules/form-fields.ts';
import { FormField } from './form-field.tsx';
import { type FormState, useForm } from './use-form.ts';

type FormProps = {
  form: FormState;
  submit: string;
  why?: string | undefined;
  onCancel?: (() => void) | undefined;
  /** Whether the first field gets the focus. */
  focused?: boolean;
  children: ComponentChildren;
};

export const Form = ({ form, submit, why, onCancel, focused = false, children }: FormProps) => {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.failure) showFirstError(element.current!);
  }, [form.failure]);
  useEffect(() => {
    if (focused) focusField(element.current!);
  }, [focused]);
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
      {form.otherErrors.length > 0 && (
        <div class="banner failure" role="alert">
          {form.otherErrors.map((text) => (
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

function showFirstError(form: HTMLFormElement): void {
  const error = form.querySelector('.field-error, .failure');
  const field = error?.closest('.field')?.querySelector<HTMLElement>('input, select, textarea, button');
  field?.focus({ preventScroll: true });
  error?.scrollIntoView({ block: 'center' });
}

type SchemaFormProps = Omit<FormProps, 'form' | 'children'> & {
  /** Key of the stored input: `check chk_1`. */
  name: string;
  schema: FormSchema;
  skip?: readonly string[];
  record?: object | undefined;
  derive?: (draft: Draft) => Draft;
  send(body: Record<string, unknown>): Promise<unknown>;
};

export function SchemaForm({ name, schema, skip, record, derive, send, ...rest }: SchemaFormProps) {
  const specs = fieldsOf(schema, skip);
  const form = useForm({ name, specs, record, derive, send });
  return (
    <Form form={form} {...rest}>
      <FormFields form={form} specs={specs} />
    </Form>
  );
}

type FieldsProps = { form: FormState; specs: readonly FieldSpec[] };

/** Fields of a form, in two columns if they fit, and its folded groups. */
export function FormFields({ form, specs }: FieldsProps) {
  const { visible, groups } = groupsOf(
    specs.filter(({ within }) => within === undefined || form.draft[within] === 'true'),
  );
  return (
    <>
      {visible.length > 0 && <Fields form={form} specs={visible} />}
      {groups.map((group) => (
        <FoldedFields key={group.title} form={form} {...group} />
      ))}
    </>
  );
}

const Fields = ({ form, specs }: FieldsProps) => (
  <div class="fields">
    {specs.map((spec) => (
      <FormField key={spec.path} form={form} spec={spec} />
    ))}
  </div>
);

function FoldedFields({ title, form, specs }: FieldsProps & { title: string }) {
  const [isOpen, open] = useState(false);
  const hasError = specs.some(({ path }) => Object.keys(form.errors).some((at) => `${at}.`.startsWith(`${path}.`)));
  const setCount = specs.filter(form.isSet).length;
  return (
    <details class="folded" open={isOpen || hasError} onToggle={(event) => open(event.currentTarget.open)}>
      <summary>
        <span class="folded-title">{title}</span>
        {setCount > 0 && <span class="tag">{setCount} set</span>}
        <span class="hint">{specs.map(({ label }) => label).join(', ')}</span>
      </summary>
      <Fields form={form} specs={specs} />
    </details>
  );
}
