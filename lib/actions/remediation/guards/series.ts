import type { Guard } from '#lib/actions/remediation/guard.ts';
import { iso } from '#lib/platform/time.ts';

/** What did not help so often is left to people. */
export const attempts: Guard = {
  name: 'attempts',
  judge: ({ attempts, remediation: { max_attempts } }) =>
    attempts >= max_attempts ? { stops: `all ${max_attempts} attempts of this series are used up` } : {},
};

export const cooldown: Guard = {
  name: 'cooldown',
  judge({ last_began_at, remediation: { cooldown_seconds }, now }) {
    if (last_began_at === undefined) return {};
    const until = last_began_at + cooldown_seconds * 1000;
    return now < until
      ? { stops: `the last attempt began at ${iso(last_began_at)}; next at ${iso(until)}`, until }
      : {};
  },
};
