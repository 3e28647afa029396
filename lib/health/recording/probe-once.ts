import { type AccountItem, boundTo } from '#lib/access/account.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/check-type.ts';
import { checkTypeOf, type ErrorKind } from '#lib/checks/registry.ts';
import type { Ports } from '#lib/platform/ports.ts';
import type { DueProbe } from './due-checks.ts';
import { isOwnStall } from './own-stall.ts';
import type { Probe } from './record-probe.ts';

/** What a probe found, and when it began (epoch ms). */
export type Probed = { started_at: number; outcome: ProbeOutcome<ErrorKind> };

type HowToProbe = {
  /** Whose settings they are: as far as it may reach. */
  account: Pick<AccountItem, 'egress'>;
  timeout_ms: number;
  /** Whether the outcome shows what the target said. */
  shows?: boolean;
  /** Ids for the log. */
  about: Record<string, unknown>;
};

/** Probes a target by some settings. Undefined when our own stall may be why it failed: nothing is known of it then. */
export async function probeBy(
  ports: Ports,
  check: CheckSettings,
  { account, timeout_ms, shows = false, about }: HowToProbe,
): Promise<Probed | undefined> {
  const started_at = ports.clock.now();
  const settings = boundTo(ports.settings, account);
  const before = ports.clock.stalled();
  const input = { net: ports.net, settings, timeout_ms, now: started_at, shows };
  const outcome = await checkTypeOf(check.check_type).probe?.(check, input);
  const stalled_ms = ports.clock.stalled() - before;
  if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {
    const { error_message } = outcome;
    ports.log.warn('this process stood still, so a probe is not recorded', { ...about, stalled_ms, error_message });
    return undefined;
  }
  return outcome && { started_at, outcome };
}

/** A probe never outlives its interval (docs/CONTRACT.md#probes); ms. */
export const probeTimeout = (check: Pick<CheckSettings, 'timeout_ms' | 'interval_seconds'>): number =>
  Math.min(check.timeout_ms, check.interval_seconds * 1000);

/** Probes a check at its slot. Undefined when our own stall may be why it failed: its slot stays a gap. */
export async function probeOnce(ports: Ports, { job, check, account }: DueProbe): Promise<Probe | undefined> {
  const { tenant_id, slot } = job;
  const about = { tenant_id, check_id: check.id, slot };
  const probed = await probeBy(ports, check, { account, timeout_ms: probeTimeout(check), about });
  return probed && { check, slot, ...probed, retention_days: account.retention_days };
}

/** Where a check goes; undefined: to the resolver of this machine. */
export const hostOf = (check: Pick<CheckSettings, 'check_type' | 'config'>): string | undefined =>
  checkTypeOf(check.check_type).hosts(check)[0]?.host;
