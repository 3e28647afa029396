import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { type VisibleRows, visibleRows } from '#console/rules/visible-rows.ts';

/** Fewer rows than this are all drawn, as high as each wants to be. */
const ALL_DRAWN = 100;
/** Until a row was drawn and measured. */
const LIKELY_HEIGHT = 41;

/** Which rows are drawn. @param body the part of the table that holds them; each has the attribute data-row */
export function useWindow(body: RefObject<HTMLElement | null>, count: number): VisibleRows {
  const [height, setHeight] = useState(LIKELY_HEIGHT);
  const [view, setView] = useState(() => visibleRows(count, LIKELY_HEIGHT, 0, innerHeight));
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
    // Captured, as it may be a box around the table that scrolls.
    addEventListener('scroll', update, { passive: true, capture: true });
    // What stands above it may have become higher or lower.
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

/** A list that became shorter is drawn before it is measured again. */
const clipped = ({ from, to, above, below }: VisibleRows, count: number): VisibleRows =>
  to > count ? { from: Math.max(0, from - (to - count)), to: count, above, below: 0 } : { from, to, above, below };
