import * as z from 'zod';
import { spend } from '#lib/access/rate-gate.ts';
import { SettingsTest, testSettings } from '#lib/results/manual/test-settings.ts';
import { TOKENS_PER_PROBE } from '#lib/results/manual/tester-routes.ts';
import { defineTool } from './tool.ts';

/** Settings without name, slug and labels, which a settings test does not need. */
const { name: _name, slug: _slug, labels: _labels, ...settings } = SettingsTest.shape;

export const testCheck = defineTool({
  description:
    'Test settings of a check before saving them: probes the target once and returns its response. Stores nothing. Give check_id to test changes of an existing check.',
  input: z.strictObject(settings),
  run: async (context, input) => {
    await spend(context, 'write', TOKENS_PER_PROBE);
    return testSettings(context, input);
  },
});
