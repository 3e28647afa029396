import { useState } from 'preact/hooks';
import { Field, type FrameProps } from '#console/parts/field.tsx';
import { joinDuration, splitDuration, type Unit, unitsOf } from '#console/rules/durations.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';

type DurationProps = FrameProps & {
  spec: FieldSpec;
  /** Amount in the unit of the API. */
  value: string;
  onChange: (text: string) => void;
  name?: string;
};

export function DurationField({ spec, value, onChange, name, ...frame }: DurationProps) {
  const [typed, type] = useState<{ amount: string; unit: Unit; value: string } | undefined>(undefined);
  // The input stays as typed (90 min, 1.50 h), unless the value was changed elsewhere.
  const { amount, unit } = typed?.value === value ? typed : splitDuration(spec, value);
  function change(next: { amount: string; unit: Unit }) {
    const joined = joinDuration(spec, next.amount, next.unit);
    type({ ...next, value: joined });
    onChange(joined);
  }
  return (
    <Field {...frame}>
      {(ids) => (
        <div class="duration">
          <input
            {...ids}
            name={name}
            inputMode="decimal"
            autocomplete="off"
            required={frame.required}
            value={amount}
            onInput={(event) => change({ amount: event.currentTarget.value, unit })}
          />
          <select
            aria-label={`Unit of ${frame.label}`}
            value={unit}
            onChange={(event) => change({ amount, unit: event.currentTarget.value as Unit })}
          >
            {unitsOf(spec).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
