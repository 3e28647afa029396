import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';

const RENDER_DELAY_MS = 300;

/** Preview of a status page with the unsaved changes of its form. @param path of the page in the API */
export function Preview({ path, changes }: { path: string; changes: object }) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** Changes that the frame shows, as JSON. It loads without changes. */
  const shown = useRef('{}');
  const [isLoaded, setLoaded] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const wanted = JSON.stringify(changes);
  useEffect(() => {
    if (!isLoaded || wanted === shown.current) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const html = await call<string>('POST', `${path}/preview`, JSON.parse(wanted), { signal: abort.signal });
        shown.current = wanted;
        setProblem(undefined);
        // The frame has an opaque origin, which a target origin cannot name.
        frame.current?.contentWindow?.postMessage(html, '*');
      } catch (error) {
        if (!abort.signal.aborted) setProblem(asFailure(error).message);
      }
    }, RENDER_DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [path, wanted, isLoaded]);
  return (
    <>
      {problem !== undefined && (
        <p class="hint" role="status">
          The preview shows earlier settings: {problem}
        </p>
      )}
      <iframe ref={frame} title="Preview" src={`${path}/preview`} onLoad={() => setLoaded(true)} />
    </>
  );
}
