import { Button } from '#console/parts/button.tsx';
import { CheckPicker } from '#console/parts/check-picker.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { CheckboxField, SelectField, TextField } from '#console/parts/field.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { RowsField } from '#console/parts/rows-field.tsx';
import { SetField } from '#console/parts/set-field.tsx';
import { rangeText, withDefault } from '#console/rules/durations.ts';
import { CLEARED } from '#console/rules/form-draft.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { type Row, rowOf } from '#console/rules/rows.ts';
import { AssertionsField } from './assertions-field.tsx';
import { DurationField } from './duration-field.tsx';
import { ChecksField, EntitiesField } from './picked-field.tsx';
import type { FormState } from './use-form.ts';

const MASK = '********';
const FORMAT_HINTS: Partial<Record<FieldSpec['kind'], string>> = {
  list: 'One per line.',
  json: 'As JSON.',
  escaped: 'Line break: \\r\\n. Any byte: \\u0000.',
};

type FieldProps = { form: FormState; spec: FieldSpec };

/** Renders a field by its kind. An empty field leaves a stored secret unchanged; an optional secret can be cleared. */
export function FormField({ form, spec }: FieldProps) {
  const canClear = spec.secret && !spec.required && form.stored(spec.path) === true;
  if (!canClear) return <Input form={form} spec={spec} />;
  const isCleared = form.draft[spec.path] === CLEARED;
  return (
    <div class="clearable">
      <Input form={form} spec={spec} />
      <Button
        small
        label={`${isCleared ? 'Keep' : 'Clear'} ${spec.label.toLowerCase()}`}
        onClick={() => form.set(spec.path, isCleared ? '' : CLEARED)}
      >
        {isCleared ? 'Keep' : 'Clear'}
      </Button>
    </div>
  );
}

function Input({ form, spec }: FieldProps) {
  const { path, label, kind, required, secret, options, titles, fallback } = spec;
  const isCleared = form.draft[path] === CLEARED;
  const value = isCleared ? '' : (form.draft[path] ?? '');
  const stored = form.stored(path);
  const error = form.errors[path];
  const onChange = (text: string) => form.set(path, text);
  const secretHint = isCleared ? 'Removed when you save.' : 'Empty: unchanged.';
  const hint = [spec.hint, FORMAT_HINTS[kind], secret && stored && secretHint].filter(Boolean).join(' ');
  const common = { label, hint, error, value, onChange, name: path, required: required && !(secret && stored) };
  if (kind === 'switch' || (kind === 'boolean' && fallback !== undefined)) {
    return <CheckboxField {...common} checked={value === 'true'} onChange={(checked) => onChange(String(checked))} />;
  }
  if (kind === 'boolean') {
    const choices = ['', 'true', 'false'].map((one) => ({
      value: one,
      label: { '': 'default', true: 'yes', false: 'no' }[one]!,
    }));
    return <SelectField {...common} options={choices} />;
  }
  if (kind === 'choice') {
    const choices = options.map((value) => ({ value, label: titles[value] ?? value }));
    const isComplete = required || fallback || spec.initial || options.includes('');
    return <SelectField {...common} options={isComplete ? choices : [{ value: '', label: 'none' }, ...choices]} />;
  }
  if (kind === 'rows' || kind === 'map') {
    return (
      <RowsField
        {...common}
        kind={kind}
        columns={spec.columns}
        single={spec.single}
        fields={(i, row, set) => <RowFields form={form} spec={spec} i={i} row={row} onChange={set} />}
      />
    );
  }
  if (kind === 'duration') {
    const withLimits = `${withDefault(spec, hint)} ${rangeText(spec)}`.trim();
    return <DurationField {...common} hint={withLimits} spec={spec} />;
  }
  if (kind === 'assertions') return <AssertionsField {...common} sources={options} />;
  if (kind === 'set') return <SetField {...common} options={options} titles={titles} />;
  if (kind === 'check') return <CheckPicker {...common} />;
  if (kind === 'checks') return <ChecksField {...common} />;
  if (kind === 'entity') return <EntityPicker {...common} optional={!required} />;
  if (kind === 'entities') return <EntitiesField {...common} />;
  if (kind === 'instant') return <InstantField {...common} />;
  if (kind === 'zone') return <TextField {...common} suggestions={Intl.supportedValuesOf('timeZone')} />;
  const isLong = kind === 'long' || kind === 'list' || kind === 'json';
  const placeholder = secret && stored !== undefined ? (stored && !isCleared ? MASK : 'none') : undefined;
  if (isLong) return <TextField {...common} lines={kind === 'list' ? 3 : 4} placeholder={placeholder} />;
  // Not type=url, because the API accepts more and explains errors. Not type=password, so that users see their input.
  return <TextField {...common} numeric={kind === 'number'} placeholder={placeholder} />;
}

type RowProps = FieldProps & { i: number; row: Row; onChange: (row: Row) => void };

function RowFields({ form, spec, i, row, onChange }: RowProps) {
  const { columns, single, path } = spec;
  const fieldOf = (column: FieldSpec) => {
    const inner = `${path}.${i}.${column.path}`;
    const within = {
      ...form,
      draft: { ...form.draft, [inner]: row[column.path] ?? '' },
      set: (_: string, typed: string) => onChange({ ...row, [column.path]: typed }),
      stored: () => undefined,
    };
    const hint = single || i === 0 ? column.hint : '';
    return <FormField key={inner} form={within} spec={{ ...column, path: inner, hint }} />;
  };
  if (!single) return <>{columns.map(fieldOf)}</>;
  const chosen = columns.find((column) => row[column.path] !== undefined) ?? columns[0]!;
  return (
    <>
      <SelectField
        label="Kind"
        value={chosen.path}
        options={columns.map((column) => ({ value: column.path, label: column.label }))}
        onChange={(name) => onChange(rowOf(columns.find((column) => column.path === name)!))}
      />
      {chosen.kind !== 'boolean' && fieldOf(chosen)}
    </>
  );
}
