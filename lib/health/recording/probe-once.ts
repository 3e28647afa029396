import { boundTo } from '#lib/access/account.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import type { Ports } from '#lib/platform/ports.ts';
import type { DueProbe } from './due-checks.ts';
import { isOwnStall } from './own-stall.ts';
import type { Probe } from './record-probe.ts';

/** Probes a check. Undefined when our own stall may be why it failed: its slot stays a gap. */
export async function probeOnce(ports: Ports, { job, check, account }: DueProbe): Promise<Probe | undefined> {
  const type = checkTypeOf(check.check_type);
  const started_at = ports.clock.now();
  // A probe never outlives its interval (docs/CONTRACT.md#probes).
  const timeout_ms = Math.min(check.timeout_ms, check.interval_seconds * 1000);
  const settings = boundTo(ports.settings, account);
  const before = ports.clock.stalled();
  const outcome = await type.probe?.(check, { net: ports.net, settings, timeout_ms, now: started_at });
  const stalled_ms = ports.clock.stalled() - before;
  if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {
    const { tenant_id, slot } = job;
    const { error_message } = outcome;
    ports.log.warn('this process stood still, so a probe is not recorded', {
      tenant_id,
      check_id: check.id,
      slot,
      stalled_ms,
      error_message,
    });
    return undefined;
  }
  return outcome && { check, slot: job.slot, started_at, outcome, retention_days: account.retention_days };
}
