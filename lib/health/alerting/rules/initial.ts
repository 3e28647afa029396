import { shown } from '#lib/checks/policy-item.ts';
import type { Rule } from '#lib/health/alerting/rule.ts';

/** A new check that comes up is no news, unless its channels were told of something else. */
export const initial: Rule = {
  name: 'initial',
  kinds: ['state_change'],
  judge: ({ from, to, told, policy }) => ({
    stops: from === 'unknown' && shown(to, policy) === 'up' && told === 'up',
    facts: { from, to, told },
  }),
};
