import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { type VisibleRows, visibleRows } from '#console/rules/visible-rows.ts';

/** Number of rows up to which a table renders all rows. Rows of longer tables must have the same height. */
const ALL_DRAWN = 100;
const LIKELY_ROW_HEIGHT_PX = 41;

/** Returns the rows to render. @param body element that holds the rows; each has the attribute data-row */
export function useVisibleRows(body: RefObject<HTMLElement | null>, count: number): VisibleRows {
  const [height, setHeight] = useState(LIKELY_ROW_HEIGHT_PX);
  const [view, setView] = useState(() => visibleRows(count, LIKELY_ROW_HEIGHT_PX, 0, innerHeight));
  const isWhole = count <= ALL_DRAWN;

  useLayoutEffect(() => {
    if (isWhole) return;
    const update = () => {
      const element = body.current;
      if (!element) return;
      const drawn = element.querySelector('[data-row]')?.getBoundingClientRect().height;
      if (drawn) setHeight(drawn);
      const next = visibleRows(count, drawn || height, -element.getBoundingClientRect().top, innerHeight);
      setView((old) => (old.from === next.from && old.to === next.to && old.below === next.below ? old : next));
    };
    update();
    // Captured, because the table can be in a scrolling container.
    addEventListener('scroll', update, { passive: true, capture: true });
    // Content above the table can grow or shrink.
    const resized = new ResizeObserver(update);
    resized.observe(document.body);
    addEventListener('resize', update);
    return () => {
      resized.disconnect();
      removeEventListener('scroll', update, { capture: true });
      removeEventListener('resize', update);
    };
  }, [body, count, height, isWhole]);

  return isWhole ? { from: 0, to: count, above: 0, below: 0 } : clipped(view, count);
}

/** Clips the rendered rows if the list became shorter, until the next measurement. */
const clipped = ({ from, to, above, below }: VisibleRows, count: number): VisibleRows =>
  to > count ? { from: Math.max(0, from - (to - count)), to: count, above, below: 0 } : { from, to, above, below };
