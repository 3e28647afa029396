/** Which rows of a long list are drawn, and the room of those that are not. */
export type VisibleRows = { from: number; to: number; above: number; below: number };

const SPARE = 8;

/**
 * Rows in sight, with some to spare on both sides.
 * @param offset pixels by which the list begins above the top of the view; negative while it begins below it
 * @param view height of the view in pixels
 */
export function visibleRows(count: number, rowHeight: number, offset: number, view: number): VisibleRows {
  const first = Math.floor(offset / rowHeight) - SPARE;
  const last = Math.ceil((offset + view) / rowHeight) + SPARE;
  const from = clamp(first, 0, count);
  const to = clamp(last, from, count);
  return { from, to, above: from * rowHeight, below: (count - to) * rowHeight };
}

const clamp = (n: number, least: number, most: number): number => Math.min(most, Math.max(least, n));
