import { Field } from '#console/parts/field.tsx';

type CommittedProps = { label: string; placeholder: string; value: string; onChange: (text: string) => void };

/** A text that counts when one leaves the field, or presses Enter: half of an address finds nothing. */
export const CommittedField = ({ label, placeholder, value, onChange }: CommittedProps) => (
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
