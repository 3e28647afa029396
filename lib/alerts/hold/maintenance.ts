import { firstResultAt } from '#lib/health/alerting/judged-after.ts';
import type { Holder } from './holder.ts';

/** A maintenance window holds until it is over; one that follows at once goes on with it. */
export const maintenance: Holder = {
  reason: 'maintenance',
  look(_env, { check, policy: { window } }) {
    if (!window) return undefined;
    return { again: firstResultAt(check, window.until), from: window.until, window };
  },
};
