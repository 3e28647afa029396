import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { emptyRow, keptRows, type Row, rowsIn } from '#console/rules/rows.ts';
import { Button } from './button.tsx';
import type { FrameProps } from './field.tsx';

type RowsProps = FrameProps & {
  columns: readonly FieldSpec[];
  /** As `keptRows` writes it. */
  value: string;
  onChange: (text: string) => void;
  /** Draws a field of a row. */
  cell: (column: FieldSpec, i: number, row: Row, onChange: (text: string) => void) => ComponentChildren;
};

/** A list of objects, a row each, in an order that one can change. */
export function RowsField({ label, hint, error, required, columns, value, onChange, cell }: RowsProps) {
  const id = useId();
  const rows = rowsIn(value);
  const change = (next: readonly Row[]) => onChange(keptRows(next));
  const put = (i: number, row: Row) => change(rows.with(i, row));
  const swap = (i: number) => change(rows.with(i, rows[i - 1]!).with(i - 1, rows[i]!));
  return (
    <fieldset class="field rows" aria-describedby={error || hint ? id : undefined}>
      <legend>
        {label}
        {required && <span class="required"> required</span>}
      </legend>
      <div id={id}>
        {error && <p class="field-error">{error}</p>}
        {hint && <p class="hint">{hint}</p>}
      </div>
      <ol>
        {rows.map((row, i) => (
          <li key={i}>
            <div class="fields">
              {columns.map((column) => cell(column, i, row, (text) => put(i, { ...row, [column.path]: text })))}
            </div>
            <Button
              small
              quiet
              icon="sortUp"
              label={`Move ${i + 1} up`}
              why={i === 0 ? 'It is the first.' : undefined}
              onClick={() => swap(i)}
            />
            <Button small quiet icon="close" label={`Remove ${i + 1}`} onClick={() => change(rows.toSpliced(i, 1))} />
          </li>
        ))}
      </ol>
      <Button small icon="add" onClick={() => change([...rows, emptyRow(columns)])}>
        Add
      </Button>
    </fieldset>
  );
}
