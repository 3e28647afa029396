import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { probeTimeout } from '#lib/checks/check-item.ts';
import { auditedCheck } from '#lib/checks/settings/check-record.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { cellOf } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, type Probed, probeTarget, probingProcess } from '#lib/results/probe/probe.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { recordProbeResult } from '#lib/results/slots/record-probe.ts';
import { reprobeSlot } from '#lib/results/slots/retries.ts';
import { intervalScheduleOf, isSlot } from '#lib/schedule/slots.ts';

/** Maximum duration of a probe (ms): the caller waits for it, and a gateway gives up after 30 s. */
const MAX_MS = 20_000;
const PERMIT_WAIT_MS = 2_000;

const unknownOutcomeError = (message: string): AppError =>
  new AppError('UNAVAILABLE', message, { headers: { 'retry-after': '5' } });

/** `isTimeoutShortened`: less time than the check allows. `isUnanswered`: no response from another machine. */
type ProbedNow = Probed & { isTimeoutShortened: boolean; isUnanswered: boolean };

/**
 * Probes a target for a waiting caller, in the slow lane so the quick lane does not wait. `withDetails`: whether the
 * outcome has the response. Throws UNAVAILABLE if a stall may have caused a failure, RATE_LIMITED if no permit is free.
 */
export async function probeNow(
  { ports, tenant, caller }: Context,
  check: CheckSettings,
  { withDetails = false, about }: { withDetails?: boolean; about: Record<string, unknown> },
): Promise<ProbedNow> {
  const { lanes, network } = probingProcess(ports);
  const host = hostOf(check);
  await network.recheck();
  const claim = { tenant, target: host, until: ports.clock.now() + PERMIT_WAIT_MS };
  const timeout_ms = Math.min(probeTimeout(check), MAX_MS);
  const probe = () => probeTarget(ports, check, { account: caller, tenant_id: tenant, timeout_ms, withDetails, about });
  const probed = await lanes.slow.run(claim, () => lanes.begin(claim, probe));
  if (probed === NO_PERMIT) {
    throw new AppError(
      'RATE_LIMITED',
      'Too many probes are in progress, to this host or overall. Nothing was probed; try again in 2 s.',
      { headers: { 'retry-after': '2' } },
    );
  }
  if (!probed) throw unknownOutcomeError('The service stalled during the probe, so its outcome is unknown. Try again.');
  const route = probeRoute(host);
  const isUnanswered = probed.outcome.unanswered === true;
  if (typeof route === 'object') network.record(route.host, !isUnanswered);
  return {
    ...probed,
    isTimeoutShortened: timeout_ms < probeTimeout(check),
    isUnanswered: isUnanswered && route !== 'this machine',
  };
}

/** Returns a check that can be run manually. Throws NOT_FOUND, or CONFLICT for a push check or a disabled one. */
export async function requireRunnable(context: Context, id: string): Promise<CheckItem> {
  const check = await requireCheck(context, id);
  if (check.execution_mode === 'push') {
    throw new AppError(
      'CONFLICT',
      `Check ${id} is a push check: a job or program posts its results, and the service does not probe it.`,
    );
  }
  if (!check.enabled) {
    throw new AppError('CONFLICT', `Check ${id} is disabled: enable it, or use POST /v1/checks/test.`);
  }
  return check;
}

/**
 * Probes a check now, records the result and applies it, atomically (docs/use/checks.md#manual-runs). Records nothing
 * if the outcome is unknown: UNAVAILABLE, RATE_LIMITED or CONFLICT. Throws NOT_FOUND if the check was deleted.
 */
export async function runCheckManually(
  context: StateContext,
  check: CheckItem,
): Promise<{ result: ResultItem; check_state: CheckState }> {
  const { ports, caller } = context;
  const probed = await probeNow(context, check, { about: { check_id: check.id } });
  if (probed.isTimeoutShortened && probed.outcome.error_kind === 'timeout') {
    throw new AppError(
      'CONFLICT',
      `The target did not answer within ${MAX_MS} ms, which is the limit of a manual run; its scheduled probes wait ` +
        `${check.timeout_ms} ms (timeout_ms). Nothing was recorded.`,
    );
  }
  const { network } = probingProcess(ports);
  if (probed.isUnanswered && (network.wasDown(probed.started_at) || (await network.isInDoubt()))) {
    throw unknownOutcomeError(
      'Neither the target nor the reference host answered: the network of the service may be down. Nothing was' +
        ' recorded.',
    );
  }
  const auditWrites = auditWriter(context, 'run', auditedCheck);
  const recorded = await recordProbeResult(context, {
    check,
    slot: orderOutsideSlots(check, probed.started_at),
    started_at: probed.started_at,
    outcome: probed.outcome,
    retention_days: caller.retention_days,
    manual: {
      token: ports.ids.token(),
      auditWrites: (present, result) => auditWrites(present, present, { result_id: resultRecord(check.id, result).id }),
    },
  });
  if (recorded.is === 'dropped') throw notFound(`Check ${check.id}`);
  const followUp = async () => {
    if (recorded.changed) await reprobeSlot(context, check);
    // Refreshed while targets answer, so that a later failure of the service's own network can be detected.
    await network.refreshReference();
  };
  // An error is only logged, because the result is recorded and the next slot does the same work.
  await followUp().catch((error: unknown) => {
    ports.log.warn('follow-up of a manual run failed', { check_id: check.id, error });
  });
  return { result: recorded.result, check_state: recorded.state };
}

/** Returns `at` (epoch ms) or, if it is a slot, the next millisecond: a result at a slot would count as the slot's. */
const orderOutsideSlots = ({ id, interval_seconds }: CheckItem, at: number): number =>
  isSlot(intervalScheduleOf(cellOf(id), interval_seconds), at) ? at + 1 : at;
