import { zone } from '#console/app/appearance.ts';
import { timeOf, typedTime, zoneName } from '#console/rules/time.ts';
import { Field, type FrameProps } from './field.tsx';

type InstantProps = FrameProps & {
  /** ISO 8601 in UTC, or empty. */
  value: string;
  onChange: (at: string) => void;
  name?: string;
};

/** Date and time field in the chosen zone, which its label names. */
export const InstantField = ({ label, value, onChange, name, ...frame }: InstantProps) => (
  <Field label={`${label} (${zoneName(zone.value)})`} {...frame}>
    {(ids) => (
      <input
        type="datetime-local"
        name={name}
        value={typedTime(value, zone.value)}
        onInput={(event) => onChange(timeOf(event.currentTarget.value, zone.value))}
        {...ids}
      />
    )}
  </Field>
);
