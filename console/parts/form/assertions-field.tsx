import { Button } from '#console/parts/button.tsx';
import { type FrameProps, GroupFrame, SelectField, TextField } from '#console/parts/field.tsx';
import {
  type AssertionRow,
  draftOfRows,
  newRow,
  operatorsOf,
  propertyOf,
  rowsIn,
  valueKind,
  withSource,
} from '#console/rules/assertion-rows.ts';
import { labelOf } from '#console/rules/form-fields.ts';

type AssertionsProps = FrameProps & {
  /** Rows, in the format of rules/assertion-rows.ts. */
  value: string;
  onChange: (draft: string) => void;
  sources: readonly string[];
};

const PROPERTY = { path: 'Path, such as $.items[0].id', header: 'Header name' };
const SEVERITIES = [
  { value: 'fail', label: 'fails' },
  { value: 'warn', label: 'warns' },
];

/** Replaces the index (from 0) in errors such as `0.value must be a number` with the number of the row (from 1). */
const numbered = (error: string): string =>
  error.replaceAll(/(^|; )(\d+)\.?(\S*)/g, (_all, before, at, member) => `${before}${Number(at) + 1}: ${member}`);

/** Assertions, one per row. Each row offers the operators of its source. */
export function AssertionsField({ error, value, onChange, sources, ...frame }: AssertionsProps) {
  const rows = rowsIn(value);
  const change = (at: number, row: AssertionRow | undefined) =>
    onChange(draftOfRows(rows.flatMap((one, i) => (i === at ? (row ?? []) : one))));
  return (
    <GroupFrame kind="assertions" {...frame} error={error && numbered(error)}>
      {rows.map((row, i) => (
        <Row key={i} number={i + 1} row={row} sources={sources} onChange={(next) => change(i, next)} />
      ))}
      <div>
        <Button small onClick={() => onChange(draftOfRows([...rows, newRow(sources[0]!)]))}>
          Add assertion
        </Button>
      </div>
    </GroupFrame>
  );
}

type RowProps = {
  number: number;
  row: AssertionRow;
  sources: readonly string[];
  /** Undefined: remove the row. */
  onChange: (row: AssertionRow | undefined) => void;
};

function Row({ number, row, sources, onChange }: RowProps) {
  const set = (member: keyof AssertionRow) => (text: string) => onChange({ ...row, [member]: text });
  const property = propertyOf(row.source);
  const kind = valueKind(row);
  return (
    <fieldset class="assertion">
      <legend>Assertion {number}</legend>
      <SelectField
        label="Source"
        value={row.source}
        onChange={(source) => onChange(withSource(row, source))}
        options={sources.map((one) => ({ value: one, label: labelOf(one) }))}
      />
      {property && <TextField label={PROPERTY[property]} value={row.property} onChange={set('property')} />}
      <SelectField
        label="Operator"
        value={row.operator}
        onChange={set('operator')}
        options={operatorsOf(row.source).map((one) => ({ value: one, label: labelOf(one).toLowerCase() }))}
      />
      {kind !== 'none' && (
        <TextField
          label={kind === 'list' ? 'Values, separated by commas' : 'Value'}
          value={row.value}
          onChange={set('value')}
        />
      )}
      <SelectField label="Severity" value={row.severity} onChange={set('severity')} options={SEVERITIES} />
      <Button small quiet icon="close" label={`Remove assertion ${number}`} onClick={() => onChange(undefined)} />
    </fieldset>
  );
}
