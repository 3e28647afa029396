import { signal } from '@preact/signals';
import { asFailure } from '#console/api/call.ts';
import { Button } from '#console/parts/button.tsx';

type Toast = { id: number; text: string; kind: 'done' | 'failed'; undo?: (() => void) | undefined };

const toasts = signal<readonly Toast[]>([]);
let last = 0;
const DONE_MS = 6_000;
const UNDO_MS = 10_000;

/** Shows a message that disappears after a while. @param undo reverts the change; offered for UNDO_MS */
export function showToast(text: string, undo?: () => void): void {
  const id = add(text, 'done', undo);
  setTimeout(() => dismiss(id), undo ? UNDO_MS : DONE_MS);
}

/** Shows a message that stays until it is dismissed. */
export const showWarning = (text: string): void => void add(text, 'failed');

export const showError = (error: unknown): void => showWarning(asFailure(error).message);

function add(text: string, kind: Toast['kind'], undo?: () => void): number {
  const id = ++last;
  toasts.value = [...toasts.value.filter((toast) => toast.text !== text), { id, text, kind, undo }];
  return id;
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Area of the toasts: a live region, so that screen readers announce them. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, kind, undo }) => (
      <p key={id} class={`toast ${kind}`}>
        {text}
        {undo && (
          <Button
            small
            onClick={() => {
              dismiss(id);
              document.querySelector<HTMLElement>('#main')?.focus();
              undo();
            }}
          >
            Undo
          </Button>
        )}
        <Button small quiet icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </p>
    ))}
  </div>
);
