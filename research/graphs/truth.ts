import { requirementsOf } from '#lib/alerting/cause/graph.ts';
import type { Random } from '#test/support/random.ts';
import type { World } from './world.ts';

/** Disjoint time ranges (ms) of failures, in order. */
export type Spans = readonly (readonly [from: number, to: number])[];

/** Failures by entity: root failures and their consequences. */
export type Truth = ReadonlyMap<string, Spans>;

/** Returns the delay until a failure reaches a dependent: up to 4 s, or, for one in 25, until a cache expires. */
const failureLag = (random: Random): number =>
  random.chance(0.04) ? random.int(60_000, 420_000) : random.int(0, 4_000);
const recoveryLag = (random: Random): number =>
  random.chance(0.05) ? random.int(30_000, 150_000) : random.int(0, 20_000);

/** Computes the consequences of failures in one pass, because `propagating` relations lead to earlier entities. */
export function spread(random: Random, { propagating }: World, own: ReadonlyMap<string, Spans>): Truth {
  const truth = new Map<string, Spans>();
  for (const [id, dependencies] of propagating) {
    const caused = requirementsOf(dependencies).map(({ required, members }) => {
      const arriving = members.flatMap((member) => {
        const spans = truth.get(member.id);
        if (!spans) return [];
        const [late, longer] = [failureLag(random), recoveryLag(random)];
        return [spans.map(([from, to]) => [from + late, to + longer] as const).filter(([from, to]) => from < to)];
      });
      return whereAtLeast(arriving, members.length - required + 1);
    });
    const spans = whereAtLeast([own.get(id) ?? [], ...caused], 1);
    if (spans.length > 0) truth.set(id, spans);
  }
  return truth;
}

/** Returns the time ranges in which at least `count` of the entities fail. */
export function whereAtLeast(all: readonly Spans[], count: number): Spans {
  const edges = all.flatMap((spans) => spans.flatMap(([from, to]) => [[from, 1] as const, [to, -1] as const]));
  const merged: [number, number][] = [];
  let failing = 0;
  for (const [at, step] of edges.toSorted(([a, x], [b, y]) => a - b || y - x)) {
    if (failing < count && failing + step >= count) merged.push([at, at]);
    if (failing >= count) merged.at(-1)![1] = at;
    failing += step;
  }
  return merged.filter(([from, to]) => from < to);
}

export const failsAt = (truth: Truth, id: string, at: number): boolean =>
  truth.get(id)?.some(([from, to]) => from <= at && at < to) ?? false;
