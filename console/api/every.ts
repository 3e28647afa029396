import { useEffect, useRef } from 'preact/hooks';

/** Runs something again and again while the page is seen. @param ms undefined: not (any more) */
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
