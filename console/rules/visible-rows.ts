/** Range of rendered rows, and the height of the rows above and below, in pixels. */
export type VisibleRows = { from: number; to: number; above: number; below: number };

/** Number of rows rendered above and below the visible ones. */
const SPARE = 8;

/** Returns the visible rows and SPARE rows around them. @param offset of the view in the list; all sizes in pixels */
export function visibleRows(count: number, rowHeight: number, offset: number, view: number): VisibleRows {
  const first = Math.floor(offset / rowHeight) - SPARE;
  const last = Math.ceil((offset + view) / rowHeight) + SPARE;
  const from = clamp(first, 0, count);
  const to = clamp(last, from, count);
  return { from, to, above: from * rowHeight, below: (count - to) * rowHeight };
}

const clamp = (n: number, min: number, max: number): number => Math.min(max, Math.max(min, n));
