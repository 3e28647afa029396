import * as z from 'zod';
import { spend } from '#lib/access/rate-gate.ts';
import { SettingsTest, testSettings } from '#lib/results/manual/test-settings.ts';
import { TOKENS_PER_PROBE } from '#lib/results/manual/tester-routes.ts';
import { defineTool } from './tool.ts';

/** What a check is called and found by has no part in a trial. */
const { name: _name, slug: _slug, labels: _labels, ...settings } = SettingsTest.shape;

export const testCheck = defineTool({
  description:
    'Try settings of a check before they are saved: probes the target once and shows what it said. Nothing is stored. Give check_id to try changes of a check that there is.',
  input: z.strictObject(settings),
  run: async (context, trial) => {
    await spend(context, 'write', TOKENS_PER_PROBE);
    return testSettings(context, trial);
  },
});
