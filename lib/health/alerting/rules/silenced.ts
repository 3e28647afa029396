import { isSilenced } from '#lib/checks/policy-item.ts';
import type { Rule } from '#lib/health/alerting/rule.ts';

export const silenced: Rule = {
  name: 'silenced',
  kinds: ['state_change', 'repeat', 'catch_up', 'closed', 'remediation_failed'],
  judge: ({ policy }) => ({ stops: isSilenced(policy), facts: { silenced: policy.silenced } }),
};
