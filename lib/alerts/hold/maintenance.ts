import type { Holder } from '#lib/alerting/deadlines/hold.ts';
import { firstResultAt } from '#lib/alerting/decide/first-result.ts';

/** A maintenance window holds until it is over; one that follows at once goes on with it. */
export const maintenance: Holder = {
  reason: 'maintenance',
  look(_env, { check, policy: { window } }) {
    if (!window) return undefined;
    return { again: firstResultAt(check, window.until), from: window.until, window };
  },
};
