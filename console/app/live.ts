import { computed } from '@preact/signals';
import { callPage } from '#console/api/call.ts';
import { makeLive } from '#console/api/live.ts';
import { MAX_FAILED_POLLS } from '#console/rules/poll-interval.ts';

let lastInput = Date.now();

export const live = makeLive({
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.hidden,
  lastInput: () => lastInput,
  get: callPage,
});

export const isOutdated = computed(() => live.failedPolls.value >= MAX_FAILED_POLLS);

/** Reports user activity to the poller. */
export function watchAttention(): void {
  const noticed = () => {
    const wasAway = Date.now() - lastInput > 10_000;
    lastInput = Date.now();
    if (wasAway) live.nudge();
  };
  for (const type of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart', 'focus']) {
    addEventListener(type, noticed, { passive: true });
  }
  document.addEventListener('visibilitychange', noticed);
  addEventListener('online', live.pollNow);
}
