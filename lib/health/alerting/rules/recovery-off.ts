import type { Rule } from '#lib/alerting/decide/rule.ts';
import { shown } from '#lib/alerting/policy/policy.ts';

/** Alerts follow the check: a recovery is its own change to what counts as up. */
export const recoveryOff: Rule = {
  name: 'recovery_off',
  kinds: ['state_change', 'catch_up'],
  judge: ({ to, policy }) => ({
    stops: shown(to, policy) === 'up' && !policy.notify_on_recovery,
    facts: { to, notify_on_recovery: policy.notify_on_recovery },
  }),
};
