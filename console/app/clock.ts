import { signal } from '@preact/signals';

/** Epoch ms, told anew each second while the page is seen: relative times follow it. */
export const now = signal(Date.now());

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}
