import type { Rule } from '#lib/alerting/decide/rule.ts';
import { shown } from '#lib/alerting/policy/policy.ts';

/** A new check that comes up is no news, unless its channels were told of something else. */
export const initial: Rule = {
  name: 'initial',
  kinds: ['state_change'],
  judge: ({ from, to, told, policy }) => ({
    stops: from === 'unknown' && shown(to, policy) === 'up' && told === 'up',
    facts: { from, to, told },
  }),
};
