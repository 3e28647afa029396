import { useEffect, useRef } from 'preact/hooks';

/** Runs a function repeatedly while the page is visible. @param ms interval; undefined stops it */
export function useEvery(ms: number | undefined, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (ms === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
