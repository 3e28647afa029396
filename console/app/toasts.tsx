import { signal } from '@preact/signals';
import { asFailure } from '#console/api/call.ts';
import { Button } from '#console/parts/button.tsx';

type Notice = { id: number; text: string; kind: 'done' | 'failed' };

const notices = signal<readonly Notice[]>([]);
let last = 0;
const DONE_MS = 6_000;

/** Tells of something that was done; it goes away by itself. */
export function showToast(text: string): void {
  const id = add(text, 'done');
  setTimeout(() => dismiss(id), DONE_MS);
}

/** Tells of something that went wrong; it stays until somebody has read it. */
export const showWarning = (text: string): void => void add(text, 'failed');

/** The same of an error. */
export const showError = (error: unknown): void => showWarning(asFailure(error).message);

function add(text: string, kind: Notice['kind']): number {
  const id = ++last;
  // The same again is not piled up.
  notices.value = [...notices.value.filter((notice) => notice.text !== text), { id, text, kind }];
  return id;
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Where notices are shown, and read out: the one live region of the page. */
export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, kind }) => (
      <p key={id} class={`notice ${kind}`}>
        {text}
        <Button small quiet icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </p>
    ))}
  </div>
);
