import * as z from 'zod';
import { spend } from '#lib/access/rate-gate.ts';
import { requireRunnable } from '#lib/results/manual/manual-run.ts';
import { runCheck, TOKENS_PER_PROBE } from '#lib/results/manual/tester-routes.ts';
import { defineTool } from './tool.ts';

export const runCheckNow = defineTool({
  description:
    'Probe a check now. The result is recorded and applied like any other, so it can change the state and send alerts.',
  input: z.strictObject({ check_id: z.string().describe('Id of the check, as in get_entity') }),
  run: async (context, { check_id }) => {
    await spend(context, 'write', TOKENS_PER_PROBE);
    return runCheck(context, await requireRunnable(context, check_id));
  },
});
