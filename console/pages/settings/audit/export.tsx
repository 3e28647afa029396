import { useEffect, useRef, useState } from 'preact/hooks';
import { callPage } from '#console/api/call.ts';
import { showError } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { saveFile } from '#console/parts/save-file.ts';
import { ndjsonOf } from '#console/rules/audit.ts';
import { number } from '#console/rules/words.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';

const PAGE_SIZE = 500;
const withLimit = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE_SIZE}`;

/** Exports all matching entries as NDJSON. @param path of the list, with its filters */
export function Export({ path }: { path: string }) {
  const [loaded, setLoaded] = useState<number | undefined>(undefined);
  const request = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => request.current?.abort(), []);

  async function run() {
    const control = new AbortController();
    request.current = control;
    setLoaded(0);
    try {
      const parts: string[] = [];
      let total = 0;
      for (let next: string | undefined = withLimit(path); next !== undefined; ) {
        const page: { value: AuditEntry[]; next: string | undefined } = await callPage(next, {
          signal: control.signal,
        });
        parts.push(ndjsonOf(page.value));
        total += page.value.length;
        setLoaded(total);
        // A list in ascending order always has a next page; an empty page is its end.
        next = page.value.length === 0 ? undefined : page.next;
      }
      saveFile(
        `audit-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.ndjson`,
        new Blob(parts, { type: 'application/x-ndjson' }),
      );
    } catch (error) {
      if (!control.signal.aborted) showError(error);
    } finally {
      setLoaded(undefined);
    }
  }

  if (loaded === undefined) {
    return (
      <Button small onClick={() => void run()}>
        Export as NDJSON
      </Button>
    );
  }
  return (
    <span class="row-actions" role="status">
      {number(loaded)} entries loaded
      <Button small onClick={() => request.current?.abort()}>
        Cancel
      </Button>
    </span>
  );
}
