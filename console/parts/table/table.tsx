import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '#console/parts/icon.tsx';
import type { Selection } from './selection.ts';
import { useRowShortcuts } from './use-row-shortcuts.ts';
import { useVisibleRows } from './use-visible-rows.ts';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** Compares two rows; without it the column cannot be sorted. */
  compare?: (a: Row, b: Row) => number;
  /** Hidden in narrow windows: its content must also be in another column, or be dispensable. */
  onlyWide?: boolean;
  onlyWidest?: boolean;
  numeric?: boolean;
  grow?: boolean;
};

type TableProps<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  selection?: Selection | undefined;
  heading?: (row: Row) => ComponentChildren | undefined;
};

type Order = { column: number; descending: boolean };

/** Table of rows. Long tables render only the visible rows, so that 10,000 rows stay fast. */
export function Table<Row>({ label, rows, columns, keyOf, selection, heading }: TableProps<Row>) {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const body = useRef<HTMLTableSectionElement>(null);
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);
  const { from, to, above, below } = useVisibleRows(body, sorted.length);
  const isHeading = (row: Row) => heading?.(row) !== undefined;
  useRowShortcuts(body, {
    count: sorted.length,
    keyAt: (index) => (sorted[index] && !isHeading(sorted[index]) ? keyOf(sorted[index]) : undefined),
    selection,
  });
  const span = columns.length + (selection ? 1 : 0);
  const spacer = (height: number) =>
    height > 0 && (
      // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it contains nothing focusable
      <tr aria-hidden="true">
        <td colSpan={span} class="spacer" style={{ height: `${height}px` }} />
      </tr>
    );
  return (
    <table class="table" aria-label={label} aria-rowcount={sorted.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {selection && (
            <th class="mark">
              <AllMarks keys={() => sorted.filter((row) => !isHeading(row)).map(keyOf)} selection={selection} />
            </th>
          )}
          {columns.map((column, index) => (
            <Head key={column.head} column={column} index={index} order={order} onOrder={setOrder} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {spacer(above)}
        {sorted.slice(from, to).map((row, i) => {
          const title = heading?.(row);
          const key = keyOf(row);
          const marked = selection?.keys.has(key);
          return (
            <tr
              key={key}
              data-row={from + i}
              aria-rowindex={from + i + 2}
              aria-selected={marked}
              class={title ? 'group' : undefined}
            >
              {title !== undefined ? (
                <th scope="rowgroup" colSpan={span}>
                  {title}
                </th>
              ) : (
                <>
                  {selection && (
                    <td class="mark">
                      <input
                        type="checkbox"
                        aria-label="Select"
                        checked={marked ?? false}
                        onChange={() => selection.toggle(key)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.head} class={classOf(column)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </>
              )}
            </tr>
          );
        })}
        {spacer(below)}
      </tbody>
    </table>
  );
}

const classOf = ({
  onlyWide,
  onlyWidest,
  numeric,
  grow,
}: Pick<Column<never>, 'onlyWide' | 'onlyWidest' | 'numeric' | 'grow'>): string | undefined =>
  [onlyWide && 'wide', onlyWidest && 'widest', numeric && 'numeric', grow && 'grow'].filter(Boolean).join(' ') ||
  undefined;

function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined): readonly Row[] {
  const compare = order && columns[order.column]?.compare;
  if (!compare) return rows;
  return rows.toSorted(order.descending ? (a, b) => compare(b, a) : compare);
}

type HeadProps<Row> = {
  column: Column<Row>;
  index: number;
  order: Order | undefined;
  onOrder: (order: Order | undefined) => void;
};

function Head<Row>({ column, index, order, onOrder }: HeadProps<Row>) {
  const current = order?.column === index ? order : undefined;
  const next = !current
    ? { column: index, descending: false }
    : current.descending
      ? undefined
      : { column: index, descending: true };
  const sorted = current ? (current.descending ? 'descending' : 'ascending') : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={sorted}>
      {column.compare ? (
        <button type="button" class="sort" onClick={() => onOrder(next)}>
          {column.head}
          {current && <Icon name={current.descending ? 'sortDown' : 'sortUp'} />}
        </button>
      ) : (
        column.head
      )}
    </th>
  );
}

function AllMarks({ keys, selection }: { keys: () => string[]; selection: Selection }) {
  const some = selection.keys.size > 0;
  return (
    <input
      type="checkbox"
      aria-label="Select all"
      checked={some && keys().every((key) => selection.keys.has(key))}
      ref={(element) => {
        if (element) element.indeterminate = some && !element.checked;
      }}
      onChange={(event) => (event.currentTarget.checked ? selection.set(keys()) : selection.clear())}
    />
  );
}
