import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Commit, Inside, Look, ProbeSeen } from './inside.ts';
import { notedGaps, probeResults } from './outcomes.ts';
import { isUnjudged, NEAR_PROBE_MS, skewOf, targetOf } from './rules.ts';

const HOSTS = 3;
/** How a failure is called that may be one of our own network. */
const NO_ANSWER = new Set(['dns', 'timeout', 'connect']);
/** While hosts answer, the reference host is asked no more often (ms). */
const ROUTINE_MS = 10 * 60_000;
/** From an answer on the wire until the process has taken note of it (ms). */
const NOTED_MS = 10;

type Ended<T> = T & { ended_at: number };
const hasEnded = <T extends { ended_at?: number }>(one: T): one is Ended<T> => one.ended_at !== undefined;

/**
 * Our own network. A process that has heard the reference host, to which three hosts or more have been silent since
 * anything answered, and which hears nothing, the reference host included, until it records: records no failure of a
 * target that was silent then. A slot is blamed on our network only if a process that had heard the reference host
 * before found it silent, and three hosts too, with nothing heard until the probe of that slot began.
 */
export function checkNetwork(inside: Inside): string[] {
  const { seen } = inside;
  const wrong: string[] = [];
  // What a process knows of its network is ordered by its clock alone.
  if (inside.profile.jumpMs > 0) return wrong;
  const skew = skewOf(inside);
  const witnessed = witnesses(inside);
  const probes = Map.groupBy(seen.probes.filter(hasEnded), ({ host }) => host);
  const silentIn = (check: CheckItem, { at, run }: Commit) =>
    (probes.get(targetOf(check)) ?? []).filter((probe) => probe.run === run && probe.silent && probe.ended_at <= at);

  for (const { check, commit, success, begun: noted, error_kind } of probeResults(seen)) {
    if (success || !NO_ANSWER.has(error_kind ?? '')) continue;
    const begun = noted - skew;
    const own = silentIn(check, commit).filter(({ at }) => at >= begun && at <= begun + skew + 4000);
    if (own.length > 0 && own.every((probe) => witnessed.mustSpare(probe, begun, commit.at)))
      wrong.push(`${check.id}: the probe of ${noted} was held against its target while our network was down`);
  }
  for (const { check, commit, at: slot, gap } of notedGaps(seen)) {
    if (gap !== 'network') continue;
    const own = silentIn(check, commit).filter(({ at }) => at >= slot - skew);
    if (!own.some((probe) => witnessed.maySpare(probe, commit.at)))
      wrong.push(`${check.id}: slot ${slot} was blamed on our network at ${commit.at} without a reason`);
  }
  return wrong;
}

/** What the processes of a run knew of their network. */
function witnesses({ seen, profile }: Inside) {
  /** A run whose time is over takes no note of anything, and nobody does of a probe that is not judged. */
  const isHeeded = (probe: Ended<ProbeSeen>): boolean =>
    (seen.runs.get(probe.run ?? 0)?.aborted_at ?? Number.POSITIVE_INFINITY) >= probe.ended_at &&
    !isUnjudged(seen, probe);
  const probes = Map.groupBy(
    seen.probes.filter(hasEnded).filter((probe) => !probe.own_resolver && isHeeded(probe)),
    ({ process }) => process,
  );
  const looks = Map.groupBy(seen.looks.filter(hasEnded), ({ process }) => process);
  const mayBeHeeded = (_probe: ProbeSeen): boolean => true;
  /** As long as a probe of each host is given. */
  const patience = new Map<string, number>();
  for (const { host, timeout_ms } of seen.probes) patience.set(host, Math.max(timeout_ms, patience.get(host) ?? 0));
  /** A retry that its next slot cut short: whoever was silent so far might still have answered. */
  const isCutShort = ({ host, timeout_ms, interrupted }: ProbeSeen): boolean =>
    interrupted === true && timeout_ms < patience.get(host)!;
  /** It did not stand still shortly before or after either, when the process had it in hand already. */
  const isSurelyHeeded = (probe: ProbeSeen): boolean => !isUnjudged(seen, probe, NEAR_PROBE_MS) && !isCutShort(probe);
  /** How long a request of a process may wait before it is on the wire. */
  const waitMs = profile.quiet ? 20 : 3100;

  const of = (process: number) => ({ heard: probes.get(process) ?? [], asked: looks.get(process) ?? [] });
  const latest = (ends: { ended_at: number }[], until: number): number =>
    Math.max(0, ...ends.map(({ ended_at }) => ended_at).filter((at) => at <= until));
  /** When a host last answered, up to `until`. */
  const lastAnswer = (process: number, until: number): number =>
    latest(
      of(process).heard.filter(({ silent }) => !silent),
      until,
    );
  /** When a host or the reference host last answered. */
  const lastLife = (process: number, until: number): number =>
    Math.max(
      lastAnswer(process, until),
      latest(
        of(process).asked.filter(({ heard }) => heard),
        until,
      ),
    );
  /**
   * Hosts that were silent up to `until`, and none answered between; of what was told at nearly the same time, `near`
   * ms count.
   * @param counts by default each silence that a process may have heeded
   */
  const silentHosts = (process: number, until: number, near = 0, counts = mayBeHeeded): Set<string> => {
    const from = lastAnswer(process, until) - near;
    const silences = of(process).heard.filter(
      (probe) => probe.silent && probe.ended_at > from && probe.ended_at <= until && counts(probe),
    );
    return new Set(silences.map(({ host }) => host));
  };
  /** The looks of a process while hosts answered: each says whether the reference host counts until the next one. */
  function routineOf(process: number): Ended<Look>[] {
    let last = Number.NEGATIVE_INFINITY;
    return of(process).asked.filter(({ at }) => {
      const isRoutine =
        at - last >= ROUTINE_MS - waitMs && [at, at - waitMs].some((time) => silentHosts(process, time).size === 0);
      if (isRoutine) last = at;
      return isRoutine;
    });
  }
  const routine = new Map([...looks.keys()].map((process) => [process, routineOf(process)]));
  const knewWitness = (process: number, at: number): boolean =>
    routine.get(process)?.findLast((one) => one.ended_at <= at)?.heard === true;

  return {
    /** @param begun from when on the processes did the probe @param now when its outcome was stored */
    mustSpare({ process, host, ended_at, own_resolver }: Ended<ProbeSeen>, begun: number, now: number): boolean {
      if (!knewWitness(process, now)) return false;
      if (lastLife(process, now) >= begun - NOTED_MS) return false;
      const silent = silentHosts(process, ended_at - NOTED_MS, -NOTED_MS, isSurelyHeeded);
      return (own_resolver ? silent : silent.add(host)).size >= HOSTS;
    },
    maySpare({ process, at }: ProbeSeen, now: number): boolean {
      return of(process).asked.some((look) => {
        if (look.heard || look.ended_at > now) return false;
        const hadHeard = of(process).asked.some((one) => one.heard && one.ended_at <= look.at);
        const isDown = silentHosts(process, look.ended_at, NOTED_MS).size >= HOSTS;
        return hadHeard && isDown && lastLife(process, at - waitMs - NOTED_MS) <= look.ended_at;
      });
    },
  };
}
