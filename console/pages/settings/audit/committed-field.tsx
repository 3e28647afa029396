import { Field } from '#console/parts/field.tsx';

type CommittedProps = { label: string; placeholder: string; value: string; onChange: (text: string) => void };

/** Text field that applies on blur or Enter, because a partial value matches nothing. */
export const BlurField = ({ label, placeholder, value, onChange }: CommittedProps) => (
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
