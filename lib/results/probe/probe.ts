import { type AccountItem, boundTo } from '#lib/access/account.ts';
import type { CheckSettings } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import { checkTypeOf, type ErrorKind } from '#lib/checks/types/registry.ts';
import type { Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import type { Clock } from '#lib/platform/ports.ts';
import type { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';
import { type Lanes, makeLanes } from './lanes.ts';
import { type NetworkHealth, networkHealth } from './network-health.ts';

/**
 * Room for the large body of one probe, among the places that a process has for those: from when the probe asks for it
 * until it ends.
 */
class RoomForBody {
  readonly #places: FairSemaphore;
  readonly #tenant: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #over = Promise.withResolvers<void>();
  #asked_at: number | undefined;
  #entered_at: number | undefined;

  constructor(places: FairSemaphore, tenant: string, clock: Pick<Clock, 'now'>) {
    this.#places = places;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  /** Waits for room; for good where there is none in time, as its deadline ends the probe. */
  readonly enter = (): Promise<void> => {
    this.#asked_at = this.#clock.now();
    return new Promise((resolve) => {
      void this.#places.run({ tenant: this.#tenant }, () => {
        this.#entered_at = this.#clock.now();
        resolve();
        return this.#over.promise;
      });
    });
  };

  /** Gives it back. @returns how long it was waited for (ms) */
  leave(): number {
    this.#over.resolve();
    return this.#asked_at === undefined ? 0 : (this.#entered_at ?? this.#clock.now()) - this.#asked_at;
  }
}

/** A turn of the event loop may take so long (ms); a timer that is late by no more says nothing. */
const TURN_MS = 50;
/** A target may give up on us and close the connection after this time (ms), whatever the check's time-out. */
const PATIENCE_MS = 250;

/**
 * Whether a probe may have failed because this process stalled, so that nothing is known of its target. For a time-out:
 * when it stalled for more than a tenth of the time. With less, the target had nine tenths of it, so that a busy
 * process still finds a target that hangs. A target that refuses, answers wrongly or shows a bad certificate did
 * answer.
 * @param stalled_ms how long this process stood still meanwhile
 */
export function isEventLoopStall(outcome: ProbeOutcome, timeout_ms: number, stalled_ms: number): boolean {
  if (!outcome.interrupted) return false;
  const share = Math.max(TURN_MS, timeout_ms / 10);
  if (outcome.error_kind !== 'timeout') return stalled_ms > Math.min(share, PATIENCE_MS);
  // Our own deadline fires late by as long as we stalled at it.
  return Math.max(stalled_ms, outcome.latency_ms - timeout_ms) > share;
}

/** What all probes of a process share, whichever function makes them: places, and what is known of its network. */
export type ProbingProcess = { lanes: Lanes; network: NetworkHealth };

const processes = new WeakMap<Net, ProbingProcess>();

/** That of the process which goes out through this net. */
export function probingProcess(ports: Ports): ProbingProcess {
  const known = processes.get(ports.net) ?? { lanes: makeLanes(ports), network: networkHealth(ports) };
  processes.set(ports.net, known);
  return known;
}

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
  if (outcome && isEventLoopStall(outcome, timeout_ms, stalled_ms)) {
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

/** A probe never outlives its interval (docs/use/checks.md#probes); ms. */
export const probeTimeout = (check: Pick<CheckSettings, 'timeout_ms' | 'interval_seconds'>): number =>
  Math.min(check.timeout_ms, check.interval_seconds * 1000);

/** Where a check goes; undefined: to the resolver of this machine. */
export const hostOf = (check: Pick<CheckSettings, 'check_type' | 'config'>): string | undefined =>
  checkTypeOf(check.check_type).hosts(check)[0]?.host;
