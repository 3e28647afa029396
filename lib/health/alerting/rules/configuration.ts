import type { Rule } from '#lib/alerting/decide/rule.ts';

/** What people do to a check themselves is recorded and not announced. */
export const configuration: Rule = {
  name: 'configuration',
  kinds: ['state_change'],
  judge: ({ cause }) => ({ stops: cause !== 'result' && cause !== 'silence', facts: { cause } }),
};
