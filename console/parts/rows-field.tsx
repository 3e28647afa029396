import type { ComponentChildren } from 'preact';
import type { FieldSpec } from '#console/rules/form-fields.ts';
import { emptyRow, type Row, rowsIn, textOfRows } from '#console/rules/rows.ts';
import { Button } from './button.tsx';
import { type FrameProps, GroupFrame } from './field.tsx';

type RowsProps = FrameProps & {
  /** `rows` have an order and can be moved; a map has no order. */
  kind: 'rows' | 'map';
  columns: readonly FieldSpec[];
  /** Text written by `textOfRows`. */
  value: string;
  onChange: (text: string) => void;
  single: boolean;
  fields: (i: number, row: Row, onChange: (row: Row) => void) => ComponentChildren;
};

/** Field for a list of objects or a map of names to values, with a row for each object or name. */
export function RowsField({ kind, columns, value, onChange, single, fields, ...frame }: RowsProps) {
  const rows = rowsIn(value);
  const change = (next: readonly Row[]) => onChange(textOfRows(next));
  const put = (i: number, row: Row) => change(rows.with(i, row));
  const swap = (i: number) => change(rows.with(i, rows[i - 1]!).with(i - 1, rows[i]!));
  return (
    <GroupFrame kind={kind === 'map' ? 'pairs' : kind} {...frame}>
      <ol>
        {rows.map((row, i) => (
          <li key={i}>
            <div class="fields">{fields(i, row, (next) => put(i, next))}</div>
            {kind === 'rows' && (
              <Button
                small
                quiet
                icon="sortUp"
                label={`Move ${i + 1} up`}
                why={i === 0 ? 'It is the first row.' : undefined}
                onClick={() => swap(i)}
              />
            )}
            <Button small quiet icon="close" label={`Remove ${i + 1}`} onClick={() => change(rows.toSpliced(i, 1))} />
          </li>
        ))}
      </ol>
      <Button small icon="add" onClick={() => change([...rows, emptyRow(columns, single)])}>
        Add
      </Button>
    </GroupFrame>
  );
}
