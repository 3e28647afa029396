import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { auditedCheck } from '#lib/checks/settings/check-record.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { cellOf } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, type Probed, probeBy, probeTimeout, probingProcess } from '#lib/results/probe/probe.ts';
import { type ResultItem, resultRecord } from '#lib/results/result.ts';
import { recordProbeResult } from '#lib/results/slots/record-probe.ts';
import { reprobeSlot } from '#lib/results/slots/retries.ts';
import { intervalScheduleOf, isSlot } from '#lib/schedule/slots.ts';

/** Whoever asked waits, and so does a gateway, which gives up after 30 s: a probe takes so long at most (ms). */
const MAX_MS = 20_000;
/** How long one waits for its place (ms). */
const WAIT_MS = 2_000;

/** What is wrong here, for a while; it may be sent again. */
const tooManyProbesError = (message: string): AppError =>
  new AppError('UNAVAILABLE', message, { headers: { 'retry-after': '5' } });

/** `isCut`: it was given less time than its settings say. `isHeartbeatOverdue`: no answer came over a network. */
type ProbedNow = Probed & { isCut: boolean; isSilent: boolean };

/**
 * Probes a target at once, for somebody who waits for it. It takes a place of the slow lane, so that no check whose
 * slot is due waits for it. Throws UNAVAILABLE where our own stall may be why it failed, RATE_LIMITED
 * where there is no place.
 * @param shows whether the outcome shows what the target said
 */
export async function probeNow(
  { ports, tenant, caller }: Context,
  check: CheckSettings,
  { shows = false, about }: { shows?: boolean; about: Record<string, unknown> },
): Promise<ProbedNow> {
  const { lanes, network } = probingProcess(ports);
  const host = hostOf(check);
  await network.lookAgain();
  const claim = { tenant, target: host, until: ports.clock.now() + WAIT_MS };
  const timeout_ms = Math.min(probeTimeout(check), MAX_MS);
  const probe = () => probeBy(ports, check, { account: caller, tenant_id: tenant, timeout_ms, shows, about });
  const probed = await lanes.slow.run(claim, () => lanes.begin(claim, probe));
  if (probed === NO_PERMIT) {
    throw new AppError(
      'RATE_LIMITED',
      'Too many probes of this account, or to this host, are under way. Nothing was probed; try again in 2 s.',
      { headers: { 'retry-after': '2' } },
    );
  }
  if (!probed)
    throw tooManyProbesError('The service itself stood still while it probed, so that nothing is known. Try again.');
  const route = probeRoute(host);
  const isSilent = probed.outcome.unanswered === true;
  if (typeof route === 'object') network.record(route.host, !isSilent);
  return { ...probed, isCut: timeout_ms < probeTimeout(check), isSilent: isSilent && route !== 'this machine' };
}

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
 * Probes a check now, records what was found, and judges it like any result (docs/use/checks.md#manual-runs). Should
 * this process die in the middle, all of it was recorded or nothing. Throws UNAVAILABLE, RATE_LIMITED and CONFLICT
 * where nothing is known of the target, and nothing is recorded then; NOT_FOUND when the check was deleted meanwhile.
 */
export async function runCheckManually(
  context: StateContext,
  check: CheckItem,
): Promise<{ result: ResultItem; check_state: CheckState }> {
  const { ports, caller } = context;
  const probed = await probeNow(context, check, { about: { check_id: check.id } });
  if (probed.isCut && probed.outcome.error_kind === 'timeout') {
    throw new AppError(
      'CONFLICT',
      `The target did not answer within ${MAX_MS} ms, and its timeout_ms is ${check.timeout_ms}: a run by hand does not ` +
        'wait as long. Nothing was recorded.',
    );
  }
  const { network } = probingProcess(ports);
  if (probed.isSilent && (network.wasDown(probed.started_at) || (await network.isInDoubt()))) {
    throw tooManyProbesError(
      'The target did not answer, and neither does the reference name: our own network may be to blame. Nothing was ' +
        'recorded.',
    );
  }
  const note = auditWriter(context, 'run', auditedCheck);
  const recorded = await recordProbeResult(context, {
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
    if (recorded.changed) await reprobeSlot(context, check);
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
  isSlot(intervalScheduleOf(cellOf(id), interval_seconds), at) ? at + 1 : at;
