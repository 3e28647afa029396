import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Span } from './history.ts';
import { changesIn, type Inside, isCheckKey } from './inside.ts';
import { targetOf } from './rules.ts';

/** A relation that propagates failure, with its lifetime (epoch ms). */
type RelationSpan = Span & Pick<StoredRelation, 'from_entity_id' | 'to_entity_id' | 'when' | 'group'>;

/**
 * Reconstructs from the commits which entities were upstream of each entity at a time, by relations that propagate
 * failure, and when each entity had a problem.
 */
export function upstreamIn({ seen }: Pick<Inside, 'seen'>) {
  const relations = new Map<string, RelationSpan>();
  const problems = new Map<string, Span[]>();
  const hosts = new Map<string, Set<string>>();
  const open = new Map<string, { entity_id: string; from: number }>();
  const note = (entity: string, span: Span): void => {
    problems.set(entity, [...(problems.get(entity) ?? []), span]);
  };
  for (const { key, after, commit } of changesIn(seen)) {
    if (key.pk.includes('#RELATIONS#')) {
      const relation = after as unknown as StoredRelation | undefined;
      const known = relations.get(key.sk);
      if (relation?.propagates_failure)
        relations.set(key.sk, { ...relation, from: commit.at, to: Number.POSITIVE_INFINITY });
      else if (known) known.to = commit.at;
    }
    if (!isCheckKey(key)) continue;
    const check = after as CheckItem | undefined;
    const began = open.get(key.sk);
    const isWell = !check?.enabled || check.state === 'up' || check.state === 'unknown';
    if (isWell && began) {
      note(began.entity_id, { from: began.from, to: commit.at });
      open.delete(key.sk);
    } else if (check && !isWell && !began) open.set(key.sk, { entity_id: check.entity_id, from: commit.at });
    if (check?.execution_mode !== 'pull') continue;
    const host = targetOf(check);
    hosts.set(host, (hosts.get(host) ?? new Set()).add(check.entity_id));
  }
  for (const { entity_id, from } of open.values()) note(entity_id, { from, to: Number.POSITIVE_INFINITY });
  for (const { host, success, at, ended_at = at } of seen.probes) {
    if (!success) for (const entity of hosts.get(host) ?? []) note(entity, { from: at, to: ended_at });
  }

  /** Returns the direct and transitive upstream entities of an entity within a time range, without itself. */
  function upstreamOf(entity: string, from: number, to: number): Set<string> {
    return reached(entity, relationsIn(from, to));
  }

  const relationsIn = (from: number, to: number): RelationSpan[] =>
    [...relations.values()].filter((one) => one.from <= to && one.to >= from);

  function reached(entity: string, related: readonly RelationSpan[], isEnd = (_id: string) => false): Set<string> {
    const found = new Set([entity]);
    for (const id of found)
      for (const one of related)
        if (one.from_entity_id === id && (id === entity || !isEnd(id))) found.add(one.to_entity_id);
    found.delete(entity);
    return found;
  }

  /** Returns the problems of upstream entities of an entity within a time range. */
  const problemsOf = (entity: string, from: number, to: number): Span[] =>
    [...upstreamOf(entity, from, to)]
      .flatMap((id) => problems.get(id) ?? [])
      .filter((one) => one.from <= to && one.to >= from);

  return {
    upstreamOf,
    /**
     * Returns the required upstream entities at a time. Ignores groups of alternatives, and does not search beyond a
     * healthy entity.
     */
    needsOf: (entity: string, at: number, isWell: (id: string) => boolean): Set<string> =>
      reached(
        entity,
        relationsIn(at, at).filter(({ group }) => group === null),
        isWell,
      ),
    problemsOf,
    /** Returns the start of the uninterrupted problem that an entity had at a time; `at` if it had no problem. */
    problemSince: (entity: string, at: number): number => {
      let since = at;
      for (const { from, to } of (problems.get(entity) ?? []).toSorted((a, b) => b.to - a.to))
        if (from <= at && to >= since) since = Math.min(since, from);
      return since;
    },
    /** Whether, at a time, one of the dependents depends on the entity with `when: degraded`, outside groups. */
    countsWhenDegraded: (entity: string, dependents: ReadonlySet<string>, at: number): boolean =>
      relationsIn(at, at).some(
        ({ from_entity_id, to_entity_id, when, group }) =>
          to_entity_id === entity && dependents.has(from_entity_id) && when === 'degraded' && group === null,
      ),
    /**
     * Returns the last time within a range at which an upstream entity had a problem or any relation changed; else
     * `from`.
     */
    problemUntil: (entity: string, from: number, to: number): number => {
      const spans = [...upstreamOf(entity, from, to)].flatMap((id) => problems.get(id) ?? []);
      const ends = [...relations.values()].map((one) => (one.to < to ? one.to : one.from));
      const all = [
        ...spans.filter((one) => one.from <= to).map((one) => Math.min(one.to, to)),
        ...ends.filter((at) => at <= to),
      ];
      return Math.max(from, ...all);
    },
  };
}
