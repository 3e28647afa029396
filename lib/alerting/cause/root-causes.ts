import { type Assumption, type KnownCheck, type UpstreamStatus, upstreamStatus } from './evidence.ts';
import { cyclesOf, type Dependency, type Graph, type Requirement, requirementsOf } from './graph.ts';

/** Check whose failure is analyzed. Times in epoch ms. */
export type Dependent = {
  interval_seconds: number;
  failing_since: number;
  /** Start of the state before the failure, if that was up or degraded; else `failing_since`. */
  up_since: number;
};

/** Input of the analysis; `now` in epoch ms. */
export type CauseAnalysisInput = {
  graph: Graph;
  /** Checks by entity, except those of the start. */
  checks: ReadonlyMap<string, readonly KnownCheck[]>;
  dependent: Dependent;
  now: number;
};

/** Possible root cause: an entity that failed without an upstream cause. `since`: start of the failure (epoch ms). */
type Root = { entity_id: string; confirmed: boolean; since: number };

export type UpstreamEntity = { entity_id: string } & UpstreamStatus;

export type CauseAnalysis = {
  /** Whether an upstream failure caused the failure. */
  explained: boolean;
  /** The most likely first. */
  roots: Root[];
  /** Upstream failures during which the check was up long enough to be independent of them. */
  survived: Root[];
  /** Whether the outcome of running probes cannot change the result. */
  settled: boolean;
  /** Nearest first. */
  ancestors: UpstreamEntity[];
  truncated: boolean;
};

/** Minimum time (ms) to be up during a failure to count as independent of it; two intervals if that is longer. */
const SURVIVES_AFTER_MS = 120_000;

/**
 * Finds the upstream failures that caused the failure of a check. Pure.
 *
 * An upstream entity is broken if it failed, or if its status is unknown and one of its requirements is broken. A
 * requirement needs `required` members that are not broken; with fewer, it is broken itself. Root causes are the failed
 * entities found this way that have no cause of their own, except failures that the check has survived. A member in the
 * same cycle is not broken.
 */
export function findRootCauses(known: CauseAnalysisInput): CauseAnalysis {
  const cycles = cyclesOf(known.graph);
  const requirements = new Map([...known.graph.dependencies].map(([id, own]) => [id, requirementsOf(own)]));
  const structure = { cycles, requirements };
  const [least, most] = [analyze(known, structure, 'success'), analyze(known, structure, 'failure')];
  const isSame =
    least.roots.length === most.roots.length && least.roots.every((one, i) => isEqual(one, most.roots[i]!));
  const settled = !most.explained || (least.explained && isSame);
  const statusOf = statusBy(known, 'success');
  const ancestors = [...known.graph.dependencies.keys()]
    .filter((id) => id !== known.graph.start)
    .map((id) => ({ entity_id: id, ...statusOf(id, 'down') }));
  return { ...(settled ? least : most), settled, ancestors, truncated: known.graph.truncated };
}

const isEqual = (a: Root, b: Root): boolean => a.entity_id === b.entity_id && a.confirmed === b.confirmed;

const statusBy =
  ({ checks, dependent, now }: CauseAnalysisInput, assumed: Assumption) =>
  (id: string, when: Dependency['when']): UpstreamStatus =>
    upstreamStatus(checks.get(id) ?? [], when, { after: dependent.failing_since, assumed, now });

type Structure = { cycles: ReadonlyMap<string, number>; requirements: ReadonlyMap<string, Requirement[]> };

function analyze(
  known: CauseAnalysisInput,
  { cycles, requirements }: Structure,
  assumed: Assumption,
): Pick<CauseAnalysis, 'explained' | 'roots' | 'survived'> {
  const { graph, dependent, checks } = known;
  const statusOf = statusBy(known, assumed);
  const seen = new Map<string, Root[]>();

  /** Returns the root causes of the failure of a member; empty if the member is not broken. */
  function rootsOf({ id, when }: Requirement['members'][number]): Root[] {
    const key = `${when} ${id}`;
    const before = seen.get(key);
    if (before) return before;
    const own = statusOf(id, when);
    const upstream = own.status === 'healthy' ? [] : rootsUpstreamOf(id);
    const roots = own.status === 'failed' ? rootsOfFailed(id, own, upstream) : upstream;
    seen.set(key, roots);
    return roots;
  }

  /** Returns the root causes of a failed entity: itself, unless a failure that it has not survived explains it. */
  function rootsOfFailed(id: string, { confirmed, since }: Failed, upstream: Root[]): Root[] {
    const interval_seconds = Math.max(...(checks.get(id) ?? []).map((check) => check.interval_seconds));
    const itself = { interval_seconds, failing_since: since, up_since: Number.NEGATIVE_INFINITY };
    const roots = upstream.filter((root) => !hasSurvived(itself, root));
    return roots.length > 0 ? roots : [{ entity_id: id, confirmed, since }];
  }

  function rootsUpstreamOf(id: string): Root[] {
    const roots = (requirements.get(id) ?? []).flatMap(({ required, members }) => {
      const broken = members
        .filter((member) => graph.dependencies.has(member.id) && cycles.get(member.id) !== cycles.get(id))
        .map(rootsOf)
        .filter((own) => own.length > 0);
      return members.length - broken.length < required ? broken.flat() : [];
    });
    return byEntity(roots);
  }

  const [survived, roots] = split(rootsUpstreamOf(graph.start), (root) => hasSurvived(dependent, root));
  return { explained: roots.length > 0, roots, survived };
}

type Failed = Extract<UpstreamStatus, { status: 'failed' }>;

const hasSurvived = ({ failing_since, up_since, interval_seconds }: Dependent, { since }: Root): boolean =>
  failing_since - Math.max(since, up_since) >= Math.max(SURVIVES_AFTER_MS, 2000 * interval_seconds);

const split = <T>(list: T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  list.filter(isFirst),
  list.filter((one) => !isFirst(one)),
];

function byEntity(roots: readonly Root[]): Root[] {
  const found = new Map<string, Root>();
  for (const root of roots) {
    const before = found.get(root.entity_id);
    if (!before || byLikelihood(root, before) < 0) found.set(root.entity_id, root);
  }
  return [...found.values()].sort(byLikelihood);
}

const byLikelihood = (a: Root, b: Root): number =>
  Number(b.confirmed) - Number(a.confirmed) || a.since - b.since || (a.entity_id < b.entity_id ? -1 : 1);
