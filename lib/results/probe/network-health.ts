import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';

/** Minimum number of unresponsive hosts that makes the network of the service suspect. */
const HOSTS = 3;
const REFERENCE_TIMEOUT_MS = 2_000;
/** Maximum time (ms) for which probes wait for the reference host, so that they are not late for their slot. */
const RECHECK_TIMEOUT_MS = 500;
/** Interval (ms) between lookups of the reference host while targets answer. */
const REFERENCE_INTERVAL_MS = 10 * 60_000;
/** Interval (ms) after the first failed lookup: if the network is down, targets fail by then too. */
const REFERENCE_DOUBT_MS = 60_000;

/** Attribution of a missing response. `unclear`: the reference host and fewer than three other hosts do not answer. */
export type Attribution = 'target' | 'network' | 'unclear';

/** Health of the network of the service, by the probes of one process. */
export type NetworkHealth = {
  /** Records whether a host other than this machine answered. */
  record(host: string, answered: boolean): void;
  /** Attributes a missing response. `network`: the reference host and the last three or more hosts did not answer. */
  attribute(): Promise<Attribution>;
  /** Whether the reference host, which answered before, does not answer now; for a probe that is not in a batch. */
  isInDoubt(): Promise<boolean>;
  /** Rechecks the reference host before probes while the network is down: the state of an idle process may be old. */
  recheck(): Promise<void>;
  /** Whether the network is known to be down, or had not recovered at the given time (epoch ms). */
  wasDown(at: number): boolean;
  /** Looks up the reference host at intervals while targets answer; called after each batch. */
  refreshReference(): Promise<void>;
};

/**
 * Distinguishes failures of the service's network from failures of targets (docs/develop/guarantees.md#probes) by
 * looking up the setting REFERENCE_HOST. Without it, all failures are attributed to targets.
 */
export function networkHealth(ports: Ports): NetworkHealth {
  const { REFERENCE_HOST } = ports.settings;
  const unresponsive = new Set<string>();
  const answering = new Set<string>();
  let hasReferenceAnswered = false;
  let nextReferenceAt = Number.NEGATIVE_INFINITY;
  let missed = 0;
  let isDown = false;
  let downUntil = Number.NEGATIVE_INFINITY;
  let responses = 0;
  const onResponse = () => {
    responses += 1;
    if (isDown) downUntil = ports.clock.now();
    isDown = false;
  };

  return {
    record: (host, answered) => {
      if (!answered) unresponsive.add(host);
      else {
        unresponsive.clear();
        onResponse();
        if (answering.size < HOSTS) answering.add(host);
      }
    },
    attribute: async () => {
      const isConclusive = unresponsive.size >= HOSTS || answering.size >= HOSTS;
      if (!hasReferenceAnswered || !isConclusive) return 'target';
      const before = responses;
      if (await referenceAnswers(ports, REFERENCE_HOST)) {
        onResponse();
        return 'target';
      }
      if (unresponsive.size < HOSTS) return 'unclear';
      // Responses that arrived during the lookup are newer than this failure.
      if (responses === before) isDown = true;
      return 'network';
    },
    isInDoubt: async () => {
      if (!hasReferenceAnswered) return false;
      if (!(await referenceAnswers(ports, REFERENCE_HOST))) return true;
      onResponse();
      return false;
    },
    recheck: async () => {
      // An internal error shows in the probes themselves, which report it.
      if (isDown && (await referenceAnswers(ports, REFERENCE_HOST, RECHECK_TIMEOUT_MS).catch(() => false)))
        onResponse();
    },
    wasDown: (at) => isDown || at < downUntil,
    refreshReference: async () => {
      const now = ports.clock.now();
      if (REFERENCE_HOST === '' || answering.size === 0 || unresponsive.size > 0 || now < nextReferenceAt) return;
      nextReferenceAt = now + REFERENCE_INTERVAL_MS;
      if (await referenceAnswers(ports, REFERENCE_HOST)) {
        hasReferenceAnswered = true;
        missed = 0;
        return;
      }
      if (++missed === 1) nextReferenceAt = now + REFERENCE_DOUBT_MS;
      // Missed twice while targets answer: the reference host itself is down.
      else hasReferenceAnswered = false;
    },
  };
}

/** Whether the reference host answers; NXDOMAIN is an answer. */
async function referenceAnswers({ net }: Ports, hostname: string, timeout_ms = REFERENCE_TIMEOUT_MS): Promise<boolean> {
  try {
    await net.resolve({ hostname, type: 'NS', timeout_ms, egress: 'any' });
    return true;
  } catch (error) {
    if (error instanceof NetError) return error.answered;
    throw error;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i;

/** Returns the route of a probe to `host` (see `hostOf`): a host, this machine, or the resolver of this machine. */
export function probeRoute(host: string | undefined): { host: string } | 'this machine' | 'local resolver' {
  if (host === undefined) return 'local resolver';
  return LOOPBACK.test(host) ? 'this machine' : { host };
}
