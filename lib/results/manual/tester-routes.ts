import type * as z from 'zod';
import { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { route } from '#lib/platform/http/route.ts';
import { ResultRecord, resultView } from '#lib/results/result.ts';
import { requireProbed, runCheckManually } from './manual-run.ts';
import { SettingsTest, SettingsTestRecord, testSettings } from './test-settings.ts';

const row = route<StateContext>();

/** What a probe at somebody's wish counts for, as a write: the service goes out in its own name. */
export const TOKENS_A_PROBE = 20;

const RunRecord = ResultRecord.extend({
  check_state: CheckState.describe('What the check is now, with this result.'),
}).meta({ id: 'CheckRun' });

/** Runs a check by hand, and answers what is shown of that. Throws what `runByHand` does. */
export async function runCheck(context: StateContext, check: CheckItem): Promise<z.output<typeof RunRecord>> {
  const { result, check_state } = await runCheckManually(context, check);
  return { ...resultView(context, check.id, result), check_state };
}

/** What probes at somebody's wish; the only rows of the function tester. */
export const testerRoutes = [
  row({
    method: 'POST',
    path: '/v1/checks/test',
    access: 'write',
    tokens: TOKENS_A_PROBE,
    summary: 'Try settings of a check: probe once, show what the target said, store nothing',
    status: 200,
    body: SettingsTest,
    reply: SettingsTestRecord,
    errors: ['NOT_FOUND'],
    run: (context, { body }) => testSettings(context, body),
  }),
  row({
    method: 'POST',
    path: '/v1/checks/{id}/run',
    access: 'respond',
    tokens: TOKENS_A_PROBE,
    summary: 'Probe a check now; the result is recorded and judged like any other',
    status: 201,
    reply: RunRecord,
    errors: ['CONFLICT'],
    load: (context, { id }) => requireProbed(context, id),
    run: (context, { loaded }) => runCheck(context, loaded),
  }),
];
