import * as z from 'zod';
import { boundTo } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { AssertionResultList } from '#lib/checks/assertions/evaluate.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import { assertOnEntity } from '#lib/checks/settings/check-record.ts';
import { guardSettings } from '#lib/checks/settings/guard-settings.ts';
import { CheckPatch, changedIn, mergeCheck, parseTrial, validationContext } from '#lib/checks/settings/model.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { invalid } from '#lib/platform/errors.ts';
import { propertyAliases } from '#lib/platform/http/unknown-properties.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { ResultRecord, textsOf } from '#lib/results/result.ts';
import { probeNow } from './manual-run.ts';

/** Settings to try: those of a new check but for its entity, or changes of a check that there is. */
export const SettingsTest = CheckPatch.extend({
  check_id: z
    .string()
    .describe(
      'A check whose stored settings hold where nothing else is said here, as PUT lays changes over them; its secrets need not be sent again.',
    )
    .optional(),
  check_type: z.string().describe('What kind of check it is; required without check_id.').optional(),
}).meta({ id: 'CheckTrial' });
propertyAliases.add(SettingsTest, propertyAliases.get(CheckPatch)!);
type Trial = z.output<typeof SettingsTest>;

const membersOfTypes = [...checkTypes.values()].map(({ result, shown }) => ({ ...result.shape, ...shown.shape }));

/** What a trial of settings found, with what the target said; nothing of it is stored. */
export const SettingsTestRecord = ResultRecord.pick({
  outcome: true,
  success: true,
  status_code: true,
  latency_ms: true,
  error_message: true,
  error_kind: true,
  warning_message: true,
})
  .extend({ ...Object.assign({}, ...membersOfTypes), assertions: AssertionResultList })
  .meta({ id: 'CheckTrialResult' });
type TrialRecord = z.output<typeof SettingsTestRecord>;

/**
 * Probes a target by settings that need not be stored anywhere, and stores nothing. Whoever may try settings may also
 * store them and see their secrets, so that a stored secret goes nowhere that PUT could not send it. Throws
 * VALIDATION_ERROR, NOT_FOUND, RATE_LIMITED, UNAVAILABLE.
 */
export async function testSettings(context: Context, trial: Trial): Promise<TrialRecord> {
  const { check_id, ...settings } = trial;
  const check = await (check_id === undefined ? fresh(context, settings) : laidOver(context, check_id, settings));
  if (check.execution_mode === 'push') {
    throw invalid(
      check_id === undefined ? 'check_type' : 'check_id',
      'is a push check: your agent posts its results, and there is nothing to probe',
    );
  }
  const { outcome } = await probeNow(context, check, { shows: true, about: { check_id } });
  const { assertions = [] } = outcome;
  return pick(SettingsTestRecord, {
    ...outcome,
    ...textsOf(outcome),
    outcome: outcomeOf(outcome),
    assertions,
  } as TrialRecord);
}

async function fresh({ ports, caller }: Context, settings: Record<string, unknown>): Promise<CheckSettings> {
  const check = parseTrial(settings, validationContext(ports));
  await guardSettings(check, boundTo(ports.settings, caller));
  return check;
}

async function laidOver(context: Context, id: string, changes: Record<string, unknown>): Promise<CheckSettings> {
  const { ports, caller } = context;
  const stored = await requireCheck(context, id);
  await assertOnEntity(context, stored, changes.entity as string | undefined);
  const check = mergeCheck(stored, changes, validationContext(ports));
  await guardSettings(check, boundTo(ports.settings, caller), changedIn(stored, check));
  return check;
}
