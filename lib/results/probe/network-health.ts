import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';

/** Different hosts that must be silent before our own network is suspected. */
const HOSTS = 3;
const REFERENCE_TIMEOUT_MS = 2_000;
/** Probes wait for a look at the reference host no longer, so that they are not late for their slot. */
const LOOK_AGAIN_MS = 500;
/** How often the reference host is asked while hosts answer. */
const REFERENCE_EVERY_MS = 10 * 60_000;
/**
 * After a first miss the reference host is asked again this soon: if our network has failed, targets are silent too by
 * then.
 */
const REFERENCE_DOUBT_MS = 60_000;

/**
 * Whose fault it is that a target did not answer. `unclear`: the reference host is silent too, but fewer than three
 * targets are so far; the next probes decide.
 */
export type Attribution = 'target' | 'network' | 'unclear';

/** What the probes of one process say about its own network. */
export type NetworkHealth = {
  /** A host that is not this machine answered, or did not. */
  record(host: string, answered: boolean): void;
  /** Asked when a probe had no answer. `network`: three hosts or more are silent, and none has answered since. */
  attribute(): Promise<Attribution>;
  /**
   * Asked when one probe alone, which nobody tries again, had no answer: whether the reference host, which had answered
   * before, does not now.
   */
  isInDoubt(): Promise<boolean>;
  /**
   * Called before probes begin: while our network counts as down, looks whether the reference host answers again. This
   * process may have asked nobody for long, and would blame what they find on a failure that is over.
   */
  lookAgain(): Promise<void>;
  /** Whether our network was known to be down, and nothing had been heard since, at that time (epoch ms). */
  wasDown(at: number): boolean;
  /** Called after each batch: while targets answer, checks now and then that the reference host does. */
  refreshReference(): Promise<void>;
};

/**
 * Distinguishes a failure of our own network from failures of the targets (docs/develop/guarantees.md#probes) by a
 * look-up of the reference host, the setting REFERENCE_HOST. Without it all failures are those of the targets.
 */
export function networkHealth(ports: Ports): NetworkHealth {
  const { REFERENCE_HOST } = ports.settings;
  const silent = new Set<string>();
  /** Hosts that have ever answered, up to HOSTS. */
  const heard = new Set<string>();
  let wasHeard = false;
  let askAt = Number.NEGATIVE_INFINITY;
  let missed = 0;
  let isDown = false;
  let downUntil = Number.NEGATIVE_INFINITY;
  let signs = 0;
  const signOfLife = () => {
    signs += 1;
    if (isDown) downUntil = ports.clock.now();
    isDown = false;
  };

  return {
    record: (host, answered) => {
      if (!answered) silent.add(host);
      else {
        silent.clear();
        signOfLife();
        if (heard.size < HOSTS) heard.add(host);
      }
    },
    attribute: async () => {
      const mayTell = silent.size >= HOSTS || heard.size >= HOSTS;
      if (!wasHeard || !mayTell) return 'target';
      const before = signs;
      if (await referenceAnswers(ports, REFERENCE_HOST)) {
        signOfLife();
        return 'target';
      }
      if (silent.size < HOSTS) return 'unclear';
      // What was heard since is newer than this silence.
      if (signs === before) isDown = true;
      return 'network';
    },
    isInDoubt: async () => {
      if (!wasHeard) return false;
      if (!(await referenceAnswers(ports, REFERENCE_HOST))) return true;
      signOfLife();
      return false;
    },
    lookAgain: async () => {
      // A fault of ours shows in the probes themselves, which say so.
      if (isDown && (await referenceAnswers(ports, REFERENCE_HOST, LOOK_AGAIN_MS).catch(() => false))) signOfLife();
    },
    wasDown: (at) => isDown || at < downUntil,
    refreshReference: async () => {
      const now = ports.clock.now();
      if (REFERENCE_HOST === '' || heard.size === 0 || silent.size > 0 || now < askAt) return;
      askAt = now + REFERENCE_EVERY_MS;
      if (await referenceAnswers(ports, REFERENCE_HOST)) {
        wasHeard = true;
        missed = 0;
        return;
      }
      if (++missed === 1) askAt = now + REFERENCE_DOUBT_MS;
      // Missed twice while targets answer: the reference host itself is gone.
      else wasHeard = false;
    },
  };
}

/** An answer that there is no such record is an answer. */
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

/**
 * Which way a probe goes: to a host over a network, to this very machine, or to the resolver that this machine uses.
 * @param host as `hostOf` says
 */
export function probeRoute(host: string | undefined): { host: string } | 'this machine' | 'our resolver' {
  if (host === undefined) return 'our resolver';
  return LOOPBACK.test(host) ? 'this machine' : { host };
}
