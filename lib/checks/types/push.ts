import * as z from 'zod';
import { defineCheck } from '#lib/checks/check-type.ts';

/** Never probed: the customer's agent posts results; health detects its silence. */
export const push = defineCheck({
  type: 'push',
  mode: 'push',
  title: 'Results of your own',
  about:
    "Is never probed: your agent or cron job posts results or heartbeats. Once a first one has come, silence past the grace counts as failures (dead man's switch).",
  config: z.strictObject({
    grace_seconds: z
      .int()
      .min(1)
      .max(63_244_800)
      .describe(
        'Seconds of silence since the last result until the first failure is recorded, then one each interval_seconds. Default: interval_seconds x 2.',
      )
      .optional(),
  }),
  sources: ['body', 'latency_ms'],
  hosts: () => [],
  targetLabel: () => 'push',
  examples: {
    valid: [
      { config: { grace_seconds: 120 } },
      { config: {} },
      { config: { assertions: [{ source: 'body', operator: 'not_contains', value: 'ERROR' }] } },
    ],
    invalid: [
      { value: { config: { grace_seconds: 0 } }, path: 'config.grace_seconds' },
      { value: { config: { grace_seconds: 63_244_801 } }, path: 'config.grace_seconds' },
      { value: { config: { grace: 120 } }, path: 'config.grace' },
    ],
  },
});
