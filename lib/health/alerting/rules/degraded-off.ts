import { shown } from '#lib/checks/policy-item.ts';
import type { Rule } from '#lib/health/alerting/rule.ts';

/** Where degraded is not announced it counts as up: between the two nothing happens. */
export const degradedOff: Rule = {
  name: 'degraded_off',
  kinds: ['state_change'],
  judge: ({ from, to, policy }) => ({
    stops: shown(from, policy) === shown(to, policy),
    facts: { from, to, notify_on_degraded: policy.notify_on_degraded },
  }),
};
