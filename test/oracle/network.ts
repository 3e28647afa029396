import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Commit, Inside, ProbeSeen, ReferenceProbe } from './inside.ts';
import { notedGaps, probeResults } from './outcomes.ts';
import { isDiscarded, NEAR_PROBE_MS, skewOf, targetOf } from './rules.ts';

const HOSTS = 3;
/** Error kinds that an outage of the service's network can cause. */
const NO_ANSWER = new Set(['dns', 'timeout', 'connect']);
/** Minimum time between requests to the reference host while hosts respond (ms). */
const ROUTINE_MS = 10 * 60_000;
/** Time from a response on the wire until the process has recorded it (ms). */
const NOTED_MS = 10;

type Ended<T> = T & { ended_at: number };
const hasEnded = <T extends { ended_at?: number }>(one: T): one is Ended<T> => one.ended_at !== undefined;

/**
 * Promise: a process records no failure of an unresponsive target if it has reached the reference host before, three
 * hosts or more have not responded since the last response, and nothing responds, including the reference host, until
 * it records. A gap has the cause network only if a process that had reached the reference host before found that host
 * and three others unresponsive, with no response until the probe of the slot started.
 */
export function checkNetwork(inside: Inside): string[] {
  const { seen } = inside;
  const wrong: string[] = [];
  // A process orders its knowledge about its network by its clock, so a clock that jumps makes it unclear.
  if (inside.profile.jumpMs > 0) return wrong;
  const skew = skewOf(inside);
  const knowledge = networkKnowledge(inside);
  const probes = Map.groupBy(seen.probes.filter(hasEnded), ({ host }) => host);
  const failedIn = (check: CheckItem, { at, run }: Commit) =>
    (probes.get(targetOf(check)) ?? []).filter((probe) => probe.run === run && !probe.success && probe.ended_at <= at);

  for (const { check, commit, success, begun: recorded, error_kind } of probeResults(seen)) {
    if (success || !NO_ANSWER.has(error_kind ?? '')) continue;
    const begun = recorded - skew;
    // Two checks can share a host: a response to one of them can be that of this probe.
    const own = failedIn(check, commit).filter(({ at }) => at >= begun && at <= begun + skew + 4000);
    if (own.length > 0 && own.every((probe) => probe.isUnanswered && knowledge.isProtected(probe, begun, commit.at)))
      wrong.push(
        `${check.id}: the probe of ${recorded} was recorded as a failure of its target during a network outage of the service`,
      );
  }
  for (const { check, commit, at: slot, gap } of notedGaps(seen)) {
    if (gap !== 'network') continue;
    const own = failedIn(check, commit).filter(({ at }) => at >= slot - skew);
    if (!own.some((probe) => probe.isUnanswered && knowledge.hasEvidence(probe, commit.at)))
      wrong.push(`${check.id}: slot ${slot} became a gap with the cause network at ${commit.at} without evidence`);
  }
  return wrong;
}

/** Returns what each process of a simulation knows about its network. */
function networkKnowledge({ seen, profile }: Inside) {
  /** Whether a probe counts as evidence: its function run had time left, and its outcome was not discarded. */
  const isEvidence = (probe: Ended<ProbeSeen>): boolean =>
    (seen.runs.get(probe.run ?? 0)?.aborted_at ?? Number.POSITIVE_INFINITY) >= probe.ended_at &&
    !isDiscarded(seen, probe);
  const probes = Map.groupBy(
    seen.probes.filter(hasEnded).filter((probe) => !probe.service_resolver && isEvidence(probe)),
    ({ process }) => process,
  );
  const references = Map.groupBy(seen.referenceProbes.filter(hasEnded), ({ process }) => process);
  const isPossibleEvidence = (_probe: ProbeSeen): boolean => true;
  /** Longest timeout of a probe by host. */
  const patience = new Map<string, number>();
  for (const { host, timeout_ms } of seen.probes) patience.set(host, Math.max(timeout_ms, patience.get(host) ?? 0));
  /** Whether a retry was cut short by its next slot, so that its host could still have responded. */
  const isCutShort = ({ host, timeout_ms, interrupted }: ProbeSeen): boolean =>
    interrupted === true && timeout_ms < patience.get(host)!;
  /** Whether a probe certainly counts: there was no stall shortly before or after it, either. */
  const isCertainEvidence = (probe: ProbeSeen): boolean =>
    !isDiscarded(seen, probe, NEAR_PROBE_MS) && !isCutShort(probe);
  /** Maximum time until a request of a process is on the wire (ms). */
  const waitMs = profile.quiet ? 20 : 3100;

  const of = (process: number) => ({ probes: probes.get(process) ?? [], references: references.get(process) ?? [] });
  const latest = (ends: { ended_at: number }[], until: number): number =>
    Math.max(0, ...ends.map(({ ended_at }) => ended_at).filter((at) => at <= until));
  /** Returns the time of the last response of a host, up to `until`. */
  const lastResponse = (process: number, until: number): number =>
    latest(
      of(process).probes.filter(({ isUnanswered }) => !isUnanswered),
      until,
    );
  /** Returns the time of the last response of a host or the reference host. */
  const lastContact = (process: number, until: number): number =>
    Math.max(
      lastResponse(process, until),
      latest(
        of(process).references.filter(({ isAnswered }) => isAnswered),
        until,
      ),
    );
  /**
   * Returns the hosts that did not respond between the last response of any host and `until`.
   * @param near if positive (ms), ignores a response this close to `until` or to the end of an unanswered request: the
   * process may have noted the two in another order; if negative, only requests that ended that long after the last
   * response count
   * @param counts selects missing responses. Default: all that a process can have counted
   */
  const unresponsiveHosts = (process: number, until: number, near = 0, counts = isPossibleEvidence): Set<string> => {
    const from = lastResponse(process, until - near) - near;
    const unanswered = of(process).probes.filter(
      (probe) => probe.isUnanswered && probe.ended_at > from && probe.ended_at <= until && counts(probe),
    );
    return new Set(unanswered.map(({ host }) => host));
  };
  /**
   * Returns the requests of a process to the reference host while hosts responded. Each decides whether the reference
   * host counts until the next one.
   */
  function routineOf(process: number): Ended<ReferenceProbe>[] {
    let last = Number.NEGATIVE_INFINITY;
    return of(process).references.filter(({ at }) => {
      const isRoutine =
        at - last >= ROUTINE_MS - waitMs &&
        [at, at - waitMs].some((time) => unresponsiveHosts(process, time).size === 0);
      if (isRoutine) last = at;
      return isRoutine;
    });
  }
  const routine = new Map([...references.keys()].map((process) => [process, routineOf(process)]));
  const knowsReference = (process: number, at: number): boolean =>
    routine.get(process)?.findLast((one) => one.ended_at <= at)?.isAnswered === true;

  return {
    /** @param begun start of the probe in the process @param now time at which its outcome was stored */
    isProtected({ process, host, ended_at, service_resolver }: Ended<ProbeSeen>, begun: number, now: number): boolean {
      if (!knowsReference(process, now)) return false;
      if (lastContact(process, now) >= begun - NOTED_MS) return false;
      const hosts = unresponsiveHosts(process, ended_at - NOTED_MS, -NOTED_MS, isCertainEvidence);
      return (service_resolver ? hosts : hosts.add(host)).size >= HOSTS;
    },
    hasEvidence({ process, at }: ProbeSeen, now: number): boolean {
      return of(process).references.some((one) => {
        if (one.isAnswered || one.ended_at > now) return false;
        const hadResponse = of(process).references.some((earlier) => earlier.isAnswered && earlier.ended_at <= one.at);
        const isDown = unresponsiveHosts(process, one.ended_at, NOTED_MS).size >= HOSTS;
        return hadResponse && isDown && lastContact(process, at - waitMs - NOTED_MS) <= one.ended_at;
      });
    },
  };
}
