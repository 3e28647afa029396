import { type AccountItem, settingsFor } from '#lib/access/account.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import { checkTypeOf, type ErrorKind } from '#lib/checks/types/registry.ts';
import type { Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import type { Clock } from '#lib/platform/ports.ts';
import type { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';
import { type Lanes, makeLanes } from './lanes.ts';
import { type NetworkHealth, networkHealth } from './network-health.ts';

/** Permit for the large body of one probe, held until the probe ends. */
class BodyPermit {
  readonly #permits: FairSemaphore;
  readonly #tenant: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #over = Promise.withResolvers<void>();
  #requested_at: number | undefined;
  #entered_at: number | undefined;

  constructor(permits: FairSemaphore, tenant: string, clock: Pick<Clock, 'now'>) {
    this.#permits = permits;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  /** Waits for a permit. If no permit is free in time, the timeout of the probe ends the wait. */
  readonly enter = (): Promise<void> => {
    this.#requested_at = this.#clock.now();
    return new Promise((resolve) => {
      void this.#permits.run({ tenant: this.#tenant }, () => {
        this.#entered_at = this.#clock.now();
        resolve();
        return this.#over.promise;
      });
    });
  };

  /** Releases the permit. @returns the time waited for it (ms) */
  leave(): number {
    this.#over.resolve();
    return this.#requested_at === undefined ? 0 : (this.#entered_at ?? this.#clock.now()) - this.#requested_at;
  }
}

/** Maximum delay of a timer (ms) that is not a stall but a normal turn of the event loop. */
const TURN_MS = 50;
/** Time (ms) after which a target may close the connection, whatever the timeout of the check. */
const PATIENCE_MS = 250;

/**
 * Whether a stall of `lost_ms` may have caused a failure: for a timeout, if it took more than a tenth of the time, so
 * that a busy process still detects targets that hang. A refusal, a wrong response or a wrong certificate is an answer.
 */
export function isEventLoopStall(outcome: ProbeOutcome, timeout_ms: number, lost_ms: number): boolean {
  if (!outcome.interrupted) return false;
  const share = Math.max(TURN_MS, timeout_ms / 10);
  if (outcome.error_kind !== 'timeout') return lost_ms > Math.min(share, PATIENCE_MS);
  // The deadline fires late by the duration of the stall.
  return Math.max(lost_ms, outcome.latency_ms - timeout_ms) > share;
}

/** State shared by all probes of a process: permits and network health. */
export type ProbingProcess = { lanes: Lanes; network: NetworkHealth };

const processes = new WeakMap<Net, ProbingProcess>();

export function probingProcess(ports: Ports): ProbingProcess {
  const known = processes.get(ports.net) ?? { lanes: makeLanes(ports), network: networkHealth(ports) };
  processes.set(ports.net, known);
  return known;
}

/** Outcome of a probe, and its start (epoch ms). */
export type Probed = { started_at: number; outcome: ProbeOutcome<ErrorKind> };

type ProbeOptions = {
  account: Pick<AccountItem, 'egress'>;
  tenant_id: string;
  timeout_ms: number;
  /** Time (epoch ms) from which the probe is too late and is not started. */
  late_from?: number;
  /** Whether the outcome includes the response. */
  withDetails?: boolean;
  /** Properties of log lines. */
  about: Record<string, unknown>;
};

/**
 * Probes a target. Undefined if too late, or if a stall or a wait for a body permit may have caused the failure. Throws
 * CpuLimitError if the CPU budget did not allow the evaluation of the response.
 */
export async function probeTarget(
  ports: Ports,
  check: CheckSettings,
  { account, tenant_id, timeout_ms, late_from = Number.POSITIVE_INFINITY, withDetails = false, about }: ProbeOptions,
): Promise<Probed | undefined> {
  // Before any measurement, because the first import blocks this process.
  const probe = await checkTypeOf(check.check_type).probe?.();
  const started_at = ports.clock.now();
  if (started_at >= late_from) return undefined;
  const settings = settingsFor(ports.settings, account);
  const before = ports.clock.stalled();
  const permit = new BodyPermit(probingProcess(ports).lanes.large, tenant_id, ports.clock);
  const cpu = ports.cpu.of(tenant_id);
  const limits = { timeout_ms, now: started_at, cpu, waitForMemory: permit.enter };
  const input = { net: ports.net, settings, withDetails, ...limits };
  let waited_ms = 0;
  const outcome = await probe?.(check, input).finally(() => {
    waited_ms = permit.leave();
  });
  const lost_ms = ports.clock.stalled() - before + waited_ms;
  if (outcome && isEventLoopStall(outcome, timeout_ms, lost_ms)) {
    const { error_message } = outcome;
    ports.log.warn('probe discarded: the process stalled or had no permit for a body', {
      tenant_id,
      ...about,
      lost_ms,
      waited_ms,
      error_message,
    });
    return undefined;
  }
  return outcome && { started_at, outcome };
}

/** Returns the host of a check; undefined for a DNS check without its own resolver. */
export const hostOf = (check: Pick<CheckSettings, 'check_type' | 'config'>): string | undefined =>
  checkTypeOf(check.check_type).hosts(check)[0]?.host;
