import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';

/** Time (ms) after the last key until the preview is rendered. */
const TYPED_MS = 300;

/** Preview of a status page at an API path, with the changed settings of its form. */
export function Preview({ path, changes }: { path: string; changes: object }) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** Changes that the frame shows; it loads without any. */
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
        // The frame has an opaque origin, which no target can name.
        frame.current?.contentWindow?.postMessage(html, '*');
      } catch (error) {
        if (!abort.signal.aborted) setProblem(asFailure(error).message);
      }
    }, TYPED_MS);
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
