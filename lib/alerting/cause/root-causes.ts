import { type Assumption, type KnownCheck, type UpstreamStatus, upstreamStatus } from './evidence.ts';
import { cyclesOf, type Dependency, type Graph, type Requirement, requirementsOf } from './graph.ts';

/** The check whose failure is to be explained. Times in epoch ms. */
export type Dependent = {
  interval_seconds: number;
  failing_since: number;
  /** Since when it was up before that; `failing_since` if it was not. */
  up_since: number;
};

/** What is known when a failure is judged; `now` in epoch ms. */
export type CauseAnalysisInput = {
  graph: Graph;
  /** Checks of each entity of the graph but the start; one without any may be left out. */
  checks: ReadonlyMap<string, readonly KnownCheck[]>;
  dependent: Dependent;
  now: number;
};

/** An entity that failed by itself, and so may have caused what is judged. */
type Root = { entity_id: string; confirmed: boolean /** Epoch ms. */; since: number };

/** How an ancestor stands. */
export type UpstreamEntity = { entity_id: string } & UpstreamStatus;

export type CauseAnalysis = {
  /** Whether the failure follows from that of another entity. */
  explained: boolean;
  /** What it follows from: the likeliest first. */
  roots: Root[];
  /** What failed too, but so long before that the check has lived on. */
  survived: Root[];
  /** Nothing that is still awaited can change it. */
  settled: boolean;
  /** Of all that was reached, nearest first. */
  ancestors: UpstreamEntity[];
  truncated: boolean;
};

/** What was up for so long (ms) while another failed lives without it; at least two of its intervals. */
const SURVIVES_AFTER_MS = 120_000;

/**
 * Pure: whether the failure of a check follows from that of what its entity depends on.
 *
 * An ancestor is broken when it failed, or when nothing is known of it and one of its own needs is broken; a need is
 * broken when fewer of its members than it requires are not broken. The failure is explained by a broken need of the
 * entity. Its roots are what failed on the way and is not explained itself; nothing explains what has lived on while it
 * failed. Whatever depends on an entity
 * explains nothing for that: within a cycle nothing is broken.
 */
export function findRootCauses(known: CauseAnalysisInput): CauseAnalysis {
  const [least, most] = [judgeBy(known, 'success'), judgeBy(known, 'failure')];
  const isSame =
    least.roots.length === most.roots.length && least.roots.every((one, i) => isEqual(one, most.roots[i]!));
  const settled = !most.explained || (least.explained && isSame);
  const ancestors = [...known.graph.dependencies.keys()]
    .filter((id) => id !== known.graph.start)
    .map((id) => ({ entity_id: id, ...standsBy(known, 'success')(id, 'down') }));
  return { ...(settled ? least : most), settled, ancestors, truncated: known.graph.truncated };
}

const isEqual = (a: Root, b: Root): boolean => a.entity_id === b.entity_id && a.confirmed === b.confirmed;

const standsBy =
  ({ checks, dependent, now }: CauseAnalysisInput, assumed: Assumption) =>
  (id: string, when: Dependency['when']): UpstreamStatus =>
    upstreamStatus(checks.get(id) ?? [], when, { after: dependent.failing_since, assumed, now });

function judgeBy(
  known: CauseAnalysisInput,
  assumed: Assumption,
): Pick<CauseAnalysis, 'explained' | 'roots' | 'survived'> {
  const { graph, dependent, checks } = known;
  const cycles = cyclesOf(graph);
  const stands = standsBy(known, assumed);
  const seen = new Map<string, Root[]>();

  /** Roots of the failure of an ancestor as a relation to it sees it; none if it is not broken. */
  function rootsBehind({ id, when }: Requirement['members'][number]): Root[] {
    const place = `${when} ${id}`;
    const before = seen.get(place);
    if (before) return before;
    const own = stands(id, when);
    const needs = own.status === 'healthy' ? [] : brokenNeeds(id);
    const roots = own.status === 'failed' ? failedBy(id, own, needs) : needs;
    seen.set(place, roots);
    return roots;
  }

  /** What failed is its own root, unless something explains it that it has not lived without. */
  function failedBy(id: string, { confirmed, since }: Failed, needs: Root[]): Root[] {
    const interval_seconds = Math.max(...(checks.get(id) ?? []).map((check) => check.interval_seconds));
    const itself = { interval_seconds, failing_since: since, up_since: Number.NEGATIVE_INFINITY };
    const roots = needs.filter((root) => !hasSurvived(itself, root));
    return roots.length > 0 ? roots : [{ entity_id: id, confirmed, since }];
  }

  /** The roots of the broken needs of an entity. */
  function brokenNeeds(id: string): Root[] {
    const roots = requirementsOf(graph.dependencies.get(id) ?? []).flatMap(({ required, members }) => {
      const broken = members
        .filter((member) => graph.dependencies.has(member.id) && cycles.get(member.id) !== cycles.get(id))
        .map(rootsBehind)
        .filter((own) => own.length > 0);
      return members.length - broken.length < required ? broken.flat() : [];
    });
    return byEntity(roots);
  }

  const [survived, roots] = split(brokenNeeds(graph.start), (root) => hasSurvived(dependent, root));
  return { explained: roots.length > 0, roots, survived };
}

type Failed = Extract<UpstreamStatus, { status: 'failed' }>;

/** Whether something was up for so long while a root failed that it lives without it. */
const hasSurvived = ({ failing_since, up_since, interval_seconds }: Dependent, { since }: Root): boolean =>
  failing_since - Math.max(since, up_since) >= Math.max(SURVIVES_AFTER_MS, 2000 * interval_seconds);

const split = <T>(list: T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  list.filter(isFirst),
  list.filter((one) => !isFirst(one)),
];

/** Each root once, the likeliest first; of two ways to the same root the surer one. */
function byEntity(roots: readonly Root[]): Root[] {
  const found = new Map<string, Root>();
  for (const root of roots) {
    const before = found.get(root.entity_id);
    if (!before || byLikelihood(root, before) < 0) found.set(root.entity_id, root);
  }
  return [...found.values()].sort(byLikelihood);
}

/** Confirmed ones first, then what has failed longest, then by id. */
const byLikelihood = (a: Root, b: Root): number =>
  Number(b.confirmed) - Number(a.confirmed) || a.since - b.since || (a.entity_id < b.entity_id ? -1 : 1);
