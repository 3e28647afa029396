import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import { NetError } from '#lib/platform/net.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** So many different hosts must have stopped answering before our own network is suspected. */
const HOSTS = 3;
const WITNESS_TIMEOUT_MS = 2_000;
/** How often the witness is asked while hosts answer. */
const WITNESS_EVERY_MS = 10 * 60_000;

/** What the probes of one process say about its own network. */
export type OwnNetwork = {
  /** A host that is not this machine answered, or did not. */
  note(host: string, answered: boolean): void;
  /** Every host since the last answer was silent, at least three of them, and the witness, once heard, is silent too. */
  isDown(): Promise<boolean>;
  /** To be called after each batch: while hosts answer it hears the witness now and then, which counts only if heard. */
  keepWitness(): Promise<void>;
};

/**
 * Tells a failure of our own network from failures of the targets (design.md, "Our own network can fail"): a look-up
 * of the name in the setting WITNESS speaks for it. Without that setting no one does, and failures are the targets'.
 */
export function ownNetwork(ports: Ports): OwnNetwork {
  const { WITNESS } = ports.settings;
  const silent = new Set<string>();
  let someAnswered = false;
  let wasHeard = false;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    note: (host, answered) => {
      if (answered) silent.clear();
      else silent.add(host);
      someAnswered ||= answered;
    },
    isDown: async () => silent.size >= HOSTS && wasHeard && !(await witnessAnswers(ports, WITNESS)),
    keepWitness: async () => {
      const now = ports.clock.now();
      if (WITNESS === '' || !someAnswered || silent.size > 0 || now - askedAt < WITNESS_EVERY_MS) return;
      askedAt = now;
      wasHeard = await witnessAnswers(ports, WITNESS);
    },
  };
}

/** An answer that there is no such record is an answer. */
async function witnessAnswers({ net }: Ports, hostname: string): Promise<boolean> {
  try {
    await net.resolve({ hostname, type: 'NS', timeout_ms: WITNESS_TIMEOUT_MS, egress: 'any' });
    return true;
  } catch (error) {
    if (error instanceof NetError) return error.answered;
    throw error;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i;

/** The host that a check goes to over a network; undefined when it stays on this machine or asks its own resolver. */
export function remoteHost(check: CheckItem): string | undefined {
  const host = checkTypeOf(check.check_type).hosts(check)[0]?.host;
  return host === undefined || LOOPBACK.test(host) ? undefined : host;
}
