import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { auditedCheck } from '#lib/checks/settings/check-record.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { judgeSlotAgain } from '#lib/health/recording/judge-slot-again.ts';
import { MOST_MS, notNow, probeNow } from '#lib/health/recording/probe-now.ts';
import { probingProcess } from '#lib/health/recording/probing-process.ts';
import { cellOf } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { type ResultItem, resultRecord } from '#lib/results/result.ts';
import { recordRun } from '#lib/results/slots/record-probe.ts';
import { isSlot, rhythmOf } from '#lib/schedule/slots.ts';

/** The check of a path, if it can be run by hand. Throws NOT_FOUND; CONFLICT where the service does not probe it. */
export async function requireProbed(context: Context, id: string): Promise<CheckItem> {
  const check = await requireCheck(context, id);
  if (check.execution_mode === 'push') {
    throw new AppError(
      'CONFLICT',
      `Check ${id} is a push check: your agent posts its results, the service probes nothing.`,
    );
  }
  if (!check.enabled) {
    throw new AppError('CONFLICT', `Check ${id} is disabled: enable it, or use POST /v1/checks/test.`);
  }
  return check;
}

/**
 * Probes a check now, records what was found, and judges it like any result (docs/CONTRACT.md#runs-by-hand). Should
 * this process die in the middle, all of it was recorded or nothing. Throws UNAVAILABLE, RATE_LIMITED and CONFLICT
 * where nothing is known of the target, and nothing is recorded then; NOT_FOUND when the check was deleted meanwhile.
 */
export async function runByHand(
  context: Context,
  check: CheckItem,
): Promise<{ result: ResultItem; check_state: CheckState }> {
  const { ports, caller } = context;
  const probed = await probeNow(context, check, { about: { check_id: check.id } });
  if (probed.isCut && probed.outcome.error_kind === 'timeout') {
    throw new AppError(
      'CONFLICT',
      `The target did not answer within ${MOST_MS} ms, and its timeout_ms is ${check.timeout_ms}: a run by hand does not ` +
        'wait as long. Nothing was recorded.',
    );
  }
  const { network } = probingProcess(ports);
  if (probed.isSilent && (network.wasDown(probed.started_at) || (await network.isInDoubt()))) {
    throw notNow(
      'The target did not answer, and neither does the reference name: our own network may be to blame. Nothing was ' +
        'recorded.',
    );
  }
  const note = auditing(context, 'run', auditedCheck);
  const recorded = await recordRun(context, {
    check,
    slot: besideSlots(check, probed.started_at),
    started_at: probed.started_at,
    outcome: probed.outcome,
    retention_days: caller.retention_days,
    by_hand: {
      token: ports.ids.token(),
      note: (present, result) => note(present, present, { result_id: resultRecord(check.id, result).id }),
    },
  });
  if (recorded.is === 'dropped') throw notFound(`Check ${check.id}`);
  const lookOn = async () => {
    if (recorded.changed) await judgeSlotAgain(context, check);
    // While targets answer, so that a silence to come can be told from one of our own network.
    await network.refreshReference();
  };
  // It is recorded: what fails now, the next slot makes up for.
  await lookOn().catch((error: unknown) => {
    ports.log.warn('what follows a run by hand failed', { check_id: check.id, error });
  });
  return { result: recorded.result, check_state: recorded.state };
}

/** A result that stands at a slot would speak for it. @param at epoch ms */
const besideSlots = ({ id, interval_seconds }: CheckItem, at: number): number =>
  isSlot(rhythmOf(cellOf(id), interval_seconds), at) ? at + 1 : at;
