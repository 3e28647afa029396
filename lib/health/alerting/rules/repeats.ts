import type { Rule } from '#lib/alerting/decide/rule.ts';

/** A repeat reminds of a check that is down, as often as its policy says; a step of an escalation calls for it. */
export const repeats: readonly Rule[] = [
  {
    name: 'repeats_off',
    kinds: ['repeat'],
    judge: ({ policy: { repeat_interval_seconds } }) => ({
      stops: repeat_interval_seconds === 0,
      facts: { repeat_interval_seconds },
    }),
  },
  {
    name: 'not_down',
    kinds: ['repeat', 'escalation', 'impact'],
    judge: ({ to }) => ({ stops: to !== 'down', facts: { state: to } }),
  },
];
