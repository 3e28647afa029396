import { CheckPicker } from '#console/parts/check-picker.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { CheckboxField, SelectField, TextField } from '#console/parts/field.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { RowsField } from '#console/parts/rows-field.tsx';
import { SetField } from '#console/parts/set-field.tsx';
import { rangeText } from '#console/rules/durations.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { AssertionsField } from './assertions-field.tsx';
import { DurationField } from './duration-field.tsx';
import { ChecksField, EntitiesField } from './picked-field.tsx';
import type { FormState } from './use-form.ts';

const HIDDEN = '********';
const HOW: Partial<Record<FieldSpec['kind'], string>> = {
  list: 'One per line.',
  json: 'As JSON.',
  escaped: 'Line ends as \\r\\n, any byte as \\u0000.',
};

/** Renders a field by its kind. @param stored whether the record has a value, so that an empty secret is unchanged */
export function FormField({ form, spec, stored = false }: { form: FormState; spec: FieldSpec; stored?: boolean }) {
  const { path, label, kind, required, secret, options, titles, fallback } = spec;
  const value = form.draft[path] ?? '';
  const error = form.errors[path];
  const onChange = (text: string) => form.set(path, text);
  const hint = [spec.hint, HOW[kind], secret && stored && 'Empty: unchanged.'].filter(Boolean).join(' ');
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
    const isComplete = required || fallback || options.includes('');
    return <SelectField {...common} options={isComplete ? choices : [{ value: '', label: 'none' }, ...choices]} />;
  }
  if (kind === 'rows' || kind === 'map') {
    return (
      <RowsField
        {...common}
        kind={kind}
        columns={spec.columns}
        cell={(column, i, row, set) => {
          const inner = `${path}.${i}.${column.path}`;
          const within = {
            ...form,
            draft: { ...form.draft, [inner]: row[column.path] ?? '' },
            set: (_: string, typed: string) => set(typed),
          };
          return (
            <FormField key={inner} form={within} spec={{ ...column, path: inner, hint: i === 0 ? column.hint : '' }} />
          );
        }}
      />
    );
  }
  if (kind === 'duration') return <DurationField {...common} hint={`${hint} ${rangeText(spec)}`.trim()} spec={spec} />;
  if (kind === 'assertions') return <AssertionsField {...common} sources={options} />;
  if (kind === 'set') return <SetField {...common} options={options} titles={titles} />;
  if (kind === 'check') return <CheckPicker {...common} />;
  if (kind === 'checks') return <ChecksField {...common} />;
  if (kind === 'entity') return <EntityPicker {...common} optional={!required} />;
  if (kind === 'entities') return <EntitiesField {...common} />;
  if (kind === 'instant') return <InstantField {...common} />;
  if (kind === 'zone') return <TextField {...common} suggestions={Intl.supportedValuesOf('timeZone')} />;
  const isLong = kind === 'long' || kind === 'list' || kind === 'json';
  const placeholder = secret && stored ? HIDDEN : undefined;
  if (isLong) return <TextField {...common} lines={kind === 'list' ? 3 : 4} placeholder={placeholder} />;
  // Not type=url, because the API accepts more and explains errors. Not type=password, so that input can be checked.
  return <TextField {...common} numeric={kind === 'number'} placeholder={placeholder} />;
}
