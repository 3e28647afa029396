import * as z from 'zod';
import { spend } from '#lib/access/rate-gate.ts';
import { TOKENS_A_PROBE } from '#lib/health/recording/tester-routes.ts';
import { Trial, trySettings } from '#lib/health/recording/try-settings.ts';
import { defineTool } from './tool.ts';

export const testCheck = defineTool({
  name: 'test_check',
  description:
    'Try settings of a check before they are saved: probes the target once and shows what it said. Nothing is stored. Give check_id to try changes of a check that there is.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  access: 'write',
  input: z.strictObject(Trial.shape),
  run: async (context, trial) => {
    await spend(context, 'write', TOKENS_A_PROBE);
    return trySettings(context, trial);
  },
});
