import type * as z from 'zod';
import { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { route } from '#lib/platform/http/route.ts';
import { ResultRecord, resultView } from '#lib/results/result-record.ts';
import { requireRunnable, runCheckManually } from './manual-run.ts';
import { SettingsTest, SettingsTestRecord, testSettings } from './test-settings.ts';

const endpoint = route<StateContext>();

/** Number of write tokens that a manual probe costs, because the service sends requests to a target. */
export const TOKENS_PER_PROBE = 20;

const RunRecord = ResultRecord.extend({
  check_state: CheckState.describe('State of the check after this result.'),
}).meta({ id: 'CheckRun' });

/** Runs a check manually and returns the result as the caller may see it. Throws the errors of `runCheckManually`. */
export async function runCheck(context: StateContext, check: CheckItem): Promise<z.output<typeof RunRecord>> {
  const { result, check_state } = await runCheckManually(context, check);
  return { ...resultView(context, check.id, result), check_state };
}

/** Routes that probe on request; the only routes of the tester function. */
export const testerRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/checks/test',
    access: 'write',
    tokens: TOKENS_PER_PROBE,
    summary: 'Test settings of a check without storing anything',
    description: 'Probes the target once and returns the result, with the response of the target.',
    status: 200,
    body: SettingsTest,
    reply: SettingsTestRecord,
    errors: ['NOT_FOUND'],
    run: (context, { body }) => testSettings(context, body),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{id}/run',
    access: 'respond',
    tokens: TOKENS_PER_PROBE,
    summary: 'Probe a check now and record the result',
    description: 'The result is applied like any other, so it can change the state and send alerts.',
    status: 201,
    reply: RunRecord,
    errors: ['CONFLICT'],
    load: (context, { id }) => requireRunnable(context, id),
    run: (context, { loaded }) => runCheck(context, loaded),
  }),
];
