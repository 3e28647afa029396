import type { Rule } from '#lib/alerting/decide/rule.ts';
import { iso } from '#lib/platform/time.ts';

/** Somebody looks after the failure: it is not repeated, and nobody else is called. What is new is told. */
export const acknowledged: Rule = {
  name: 'acknowledged',
  kinds: ['repeat', 'escalation', 'impact'],
  judge({ acknowledged: by }) {
    return {
      stops: by !== undefined,
      facts: {
        acknowledged_by: by?.by ?? null,
        acknowledged_at: by ? iso(by.at) : null,
        acknowledged_until: by?.until === undefined ? null : iso(by.until),
      },
      ...(by?.until !== undefined && { until: by.until }),
    };
  },
};

/** Only those hear that somebody looks after a failure who were told of it. */
export const notTold: Rule = {
  name: 'not_told',
  kinds: ['acknowledged'],
  judge: ({ told }) => ({ stops: told === 'up', facts: { told } }),
};
