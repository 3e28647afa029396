import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export type FrameProps = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean | undefined;
};

type Ids = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** Label, input, hint, and error of a field, linked for screen readers. */
export function Field({
  label,
  hint,
  error,
  required,
  children,
}: FrameProps & { children: (ids: Ids) => ComponentChildren }) {
  const id = useId();
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && <span class="required"> required</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Frame around several fields. @param kind additional CSS class */
export function GroupFrame({
  kind,
  label,
  hint,
  error,
  required,
  children,
}: FrameProps & { kind: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <fieldset class={`field ${kind}`} aria-describedby={error || hint ? id : undefined}>
      <legend>
        {label}
        {required && <span class="required"> required</span>}
      </legend>
      <div id={id}>
        {error && <p class="field-error">{error}</p>}
        {hint && <p class="hint">{hint}</p>}
      </div>
      {children}
    </fieldset>
  );
}

type Common = FrameProps & {
  value: string;
  onChange: (text: string) => void;
  name?: string;
  disabled?: boolean | undefined;
};

type TextProps = Common & {
  type?: 'text' | 'password';
  autocomplete?: string;
  placeholder?: string | undefined;
  numeric?: boolean;
  lines?: number | undefined;
  maxLength?: number;
  suggestions?: readonly string[];
};

export function TextField({
  label,
  hint,
  error,
  required,
  value,
  onChange,
  numeric,
  lines,
  type,
  suggestions,
  ...rest
}: TextProps) {
  const input = {
    ...rest,
    value,
    required,
    autocomplete: rest.autocomplete ?? 'off',
    inputMode: numeric ? ('numeric' as const) : undefined,
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onChange(event.currentTarget.value),
  };
  return (
    <Field label={label} hint={hint} error={error} required={required}>
      {(ids) => {
        if (lines) return <textarea {...input} {...ids} rows={lines} />;
        if (type === 'password') return <input type="password" {...input} {...ids} />;
        if (!suggestions) return <input {...input} {...ids} />;
        return (
          <>
            <input {...input} {...ids} list={`${ids.id}-list`} />
            <datalist id={`${ids.id}-list`}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </>
        );
      }}
    </Field>
  );
}

type Option = string | { value: string; label: string };

/** Select field. @param options values, with labels if these differ */
export const SelectField = ({
  label,
  hint,
  error,
  required,
  value,
  onChange,
  options,
  ...rest
}: Common & { options: readonly Option[] }) => (
  <Field label={label} hint={hint} error={error} required={required}>
    {(ids) => (
      <select {...rest} {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => {
          const one = typeof option === 'string' ? { value: option, label: option } : option;
          return (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          );
        })}
      </select>
    )}
  </Field>
);

type CheckboxProps = Omit<FrameProps, 'required'> & {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
};

export function CheckboxField({ label, hint, error, checked, onChange, disabled }: CheckboxProps) {
  const id = useId();
  return (
    <div class="field checkbox">
      <label>
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint || error ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      <div id={id}>
        {error && <p class="field-error">{error}</p>}
        {hint && <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}
