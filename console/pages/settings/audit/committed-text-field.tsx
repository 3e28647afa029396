import { Field } from '#console/parts/field.tsx';

type CommittedTextFieldProps = { label: string; placeholder: string; value: string; onChange: (text: string) => void };

/** Text field that applies its value on blur or Enter, because the filters match only whole values. */
export const CommittedTextField = ({ label, placeholder, value, onChange }: CommittedTextFieldProps) => (
  <Field label={label}>
    {(ids) => (
      <input
        {...ids}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    )}
  </Field>
);
