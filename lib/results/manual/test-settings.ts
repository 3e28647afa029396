import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { AssertionResultList } from '#lib/checks/assertions/evaluate.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import { assertOnEntity } from '#lib/checks/settings/check-record.ts';
import { guardSettings } from '#lib/checks/settings/guard-settings.ts';
import {
  CheckPatch,
  changedIn,
  mergeCheck,
  parseWithoutEntity,
  validationContext,
} from '#lib/checks/settings/model.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { invalid } from '#lib/platform/errors.ts';
import { propertySuggestions } from '#lib/platform/http/unknown-properties.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { textsOf } from '#lib/results/result.ts';
import { ResultRecord } from '#lib/results/result-record.ts';
import { probeNow } from './manual-run.ts';

/** Settings to test: the settings of a new check without its entity, or changes of an existing check. */
export const SettingsTest = CheckPatch.extend({
  check_id: z
    .string()
    .describe('Check whose stored settings apply unless given here, as with PUT. Its secrets need not be sent again.')
    .optional(),
  check_type: z.string().describe('Type of the check; required without check_id.').optional(),
}).meta({ id: 'CheckTrial' });
propertySuggestions.add(SettingsTest, propertySuggestions.get(CheckPatch)!);
type TestInput = z.output<typeof SettingsTest>;

const propertiesOfTypes = [...checkTypes.values()].map(({ result, shown }) => ({ ...result.shape, ...shown.shape }));

/** Result of a settings test, with the response of the target; nothing is stored. */
export const SettingsTestRecord = ResultRecord.pick({
  outcome: true,
  success: true,
  status_code: true,
  latency_ms: true,
  error_message: true,
  error_kind: true,
  warning_message: true,
})
  .extend({ ...Object.assign({}, ...propertiesOfTypes), assertions: AssertionResultList })
  .meta({ id: 'CheckTrialResult' });
type TestRecord = z.output<typeof SettingsTestRecord>;

/**
 * Probes a target and stores nothing. Discloses no more than PUT: the caller may store settings and see their secrets,
 * and stored secrets go only to targets that PUT allows. Throws VALIDATION_ERROR, NOT_FOUND, RATE_LIMITED, UNAVAILABLE.
 */
export async function testSettings(context: Context, input: TestInput): Promise<TestRecord> {
  const { check_id, ...settings } = input;
  const check = await (check_id === undefined
    ? newSettings(context, settings)
    : changedSettings(context, check_id, settings));
  if (check.execution_mode === 'push') {
    throw invalid(
      check_id === undefined ? 'check_type' : 'check_id',
      'cannot be tested: a job or program posts the results of a push check, and the service does not probe it',
    );
  }
  const { outcome } = await probeNow(context, check, { withDetails: true, about: { check_id } });
  const { assertions = [] } = outcome;
  return pick(SettingsTestRecord, {
    ...outcome,
    ...textsOf(outcome),
    outcome: outcomeOf(outcome),
    assertions,
  } as TestRecord);
}

async function newSettings(context: Context, settings: Record<string, unknown>): Promise<CheckSettings> {
  const check = parseWithoutEntity(settings, validationContext(context.ports));
  await guardSettings(check, context);
  return check;
}

async function changedSettings(context: Context, id: string, changes: Record<string, unknown>): Promise<CheckSettings> {
  const stored = await requireCheck(context, id);
  await assertOnEntity(context, stored, changes.entity as string | undefined);
  const check = mergeCheck(stored, changes, validationContext(context.ports));
  await guardSettings(check, context, changedIn(stored, check));
  return check;
}
