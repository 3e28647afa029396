import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';

/** Never probed: the customer's agent posts results; its silence is judged by health. */
export const push = defineCheck({
  type: 'push',
  mode: 'push',
  fields: z.object({}),
  config: z.strictObject({
    /** Silence until the first synthetic failure; default interval_seconds x 2. At most two years. */
    grace_seconds: z.int().min(1).max(63_244_800).optional(),
  }),
  hosts: () => [],
  targetLabel: () => 'push',
  secrets: [],
  examples: {
    valid: [{ config: {} }, { config: { grace_seconds: 120 } }],
    invalid: [
      { value: { config: { grace_seconds: 0 } }, path: 'config.grace_seconds' },
      { value: { config: { grace_seconds: 63_244_801 } }, path: 'config.grace_seconds' },
      { value: { config: { grace: 120 } }, path: 'config.grace' },
    ],
  },
});
