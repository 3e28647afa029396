import { signal } from '@preact/signals';
import { asFailure } from '#console/api/call.ts';
import { Button } from '#console/parts/button.tsx';

type Notice = { id: number; text: string; kind: 'done' | 'failed' };

const notices = signal<readonly Notice[]>([]);
let last = 0;
const DONE_MS = 6_000;

/** Shows a message that disappears after a while. */
export function showToast(text: string): void {
  const id = add(text, 'done');
  setTimeout(() => dismiss(id), DONE_MS);
}

/** Shows a message that stays until it is dismissed. */
export const showWarning = (text: string): void => void add(text, 'failed');

/** Shows an error until it is dismissed. */
export const showError = (error: unknown): void => showWarning(asFailure(error).message);

function add(text: string, kind: Notice['kind']): number {
  const id = ++last;
  notices.value = [...notices.value.filter((notice) => notice.text !== text), { id, text, kind }];
  return id;
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Area of the toasts: the only live region of the page. */
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
