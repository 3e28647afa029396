import { type AccountItem, boundTo } from '#lib/access/account.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/types/check-type.ts';
import { checkTypeOf, type ErrorKind } from '#lib/checks/types/registry.ts';
import { isOwnStall } from '#lib/health/recording/own-stall.ts';
import { probingProcess } from '#lib/health/recording/probing-process.ts';
import { RoomForBody } from '#lib/health/recording/room-for-body.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { type DueProbe, lateFrom, nextSlotOf } from '#lib/results/slots/due-checks.ts';
import type { Probe } from '#lib/results/slots/record-probe.ts';

/** What a probe found, and when it began (epoch ms). */
export type Probed = { started_at: number; outcome: ProbeOutcome<ErrorKind> };

type HowToProbe = {
  /** Whose settings they are: as far as it may reach, and whose share of memory it takes. */
  account: Pick<AccountItem, 'egress'>;
  tenant_id: string;
  timeout_ms: number;
  /** From when on (epoch ms) it would speak for another time, and is not begun any more. */
  late_from?: number;
  /** Whether the outcome shows what the target said. */
  shows?: boolean;
  /** Ids for the log. */
  about: Record<string, unknown>;
};

/**
 * Probes a target by some settings. Undefined when it came too late to begin, or when our own stall, or a wait for room
 * here, may be why it failed: nothing is known of it then.
 */
export async function probeBy(
  ports: Ports,
  check: CheckSettings,
  { account, tenant_id, timeout_ms, late_from = Number.POSITIVE_INFINITY, shows = false, about }: HowToProbe,
): Promise<Probed | undefined> {
  // Before anything is measured: the first time it takes a while, in which this process stands still.
  const probe = await checkTypeOf(check.check_type).probe?.();
  const started_at = ports.clock.now();
  if (started_at >= late_from) return undefined;
  const settings = boundTo(ports.settings, account);
  const before = ports.clock.stalled();
  const room = new RoomForBody(probingProcess(ports).lanes.large, tenant_id, ports.clock);
  const input = { net: ports.net, settings, timeout_ms, now: started_at, shows, room: room.enter };
  let waited_ms = 0;
  const outcome = await probe?.(check, input).finally(() => {
    waited_ms = room.leave();
  });
  const stalled_ms = ports.clock.stalled() - before + waited_ms;
  if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {
    const { error_message } = outcome;
    ports.log.warn('this process stood still, or had no room for a body, so a probe is not recorded', {
      tenant_id,
      ...about,
      stalled_ms,
      waited_ms,
      error_message,
    });
    return undefined;
  }
  return outcome && { started_at, outcome };
}

/** A probe never outlives its interval (docs/CONTRACT.md#probes); ms. */
export const probeTimeout = (check: Pick<CheckSettings, 'timeout_ms' | 'interval_seconds'>): number =>
  Math.min(check.timeout_ms, check.interval_seconds * 1000);

/** Probes a check at its slot. Undefined when nothing is known of its target: its slot stays a gap. */
export async function probeOnce(ports: Ports, due: DueProbe): Promise<Probe | undefined> {
  const { job, check, account } = due;
  if (job.retry) return probeAgain(ports, due, job.retry.at);
  const { tenant_id, slot } = job;
  const about = { check_id: check.id, slot };
  const timeout_ms = probeTimeout(check);
  const probed = await probeBy(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  return probed && { check, slot, ...probed, retention_days: account.retention_days };
}

/**
 * Probes a check at its retry `at` (epoch ms), which ends at its next slot. Cut short by that, a target that has not
 * answered yet may still do so: nothing is known then, and the slot decides.
 */
async function probeAgain(ports: Ports, { job, check, account }: DueProbe, at: number): Promise<Probe | undefined> {
  const { tenant_id } = job;
  const about = { check_id: check.id, slot: job.slot, retry: at };
  const next_slot = nextSlotOf(job);
  const whole = probeTimeout(check);
  const timeout_ms = Math.min(whole, next_slot - ports.clock.now());
  const probed = await probeBy(ports, check, { account, tenant_id, timeout_ms, late_from: lateFrom(job), about });
  if (!probed || (timeout_ms < whole && probed.outcome.interrupted)) return undefined;
  return { check, slot: at, ...probed, retention_days: account.retention_days, retry: { next_slot } };
}

/** Where a check goes; undefined: to the resolver of this machine. */
export const hostOf = (check: Pick<CheckSettings, 'check_type' | 'config'>): string | undefined =>
  checkTypeOf(check.check_type).hosts(check)[0]?.host;
