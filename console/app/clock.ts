import { signal } from '@preact/signals';

/** Epoch ms, updated each second while the page is visible, for relative times. */
export const now = signal(Date.now());

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}
