import type { Rule } from '#lib/alerting/decide/rule.ts';
import { shown } from '#lib/alerting/policy/policy.ts';

/**
 * Where degraded is not announced it counts as up: between the two nothing happens, and of one that lasts nobody is
 * told that its remediation did not help.
 */
export const degradedOff: Rule = {
  name: 'degraded_off',
  kinds: ['state_change', 'remediation_failed'],
  judge: ({ kind, from, to, policy }) => ({
    stops: kind === 'remediation_failed' ? shown(to, policy) !== to : shown(from, policy) === shown(to, policy),
    facts: { from, to, notify_on_degraded: policy.notify_on_degraded },
  }),
};
