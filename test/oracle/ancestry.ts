import type { StoredRelation } from '#lib/catalog/relations/relation.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Span } from './history.ts';
import { changesIn, type Inside, isCheckKey } from './inside.ts';
import { targetOf } from './rules.ts';

/** A relation that carries failure, as long as it stood (epoch ms). */
type Stood = Span & Pick<StoredRelation, 'from_entity_id' | 'to_entity_id' | 'when' | 'group'>;

/** What entities depended on at some time, by relations that carry failure, and when that was in trouble. */
export function ancestryIn({ seen }: Pick<Inside, 'seen'>) {
  const relations = new Map<string, Stood>();
  const trouble = new Map<string, Span[]>();
  const hosts = new Map<string, Set<string>>();
  const open = new Map<string, { entity_id: string; from: number }>();
  const note = (entity: string, span: Span): void => {
    trouble.set(entity, [...(trouble.get(entity) ?? []), span]);
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

  /** Of an entity, itself left out: all that it depended on within a time, directly or through others. */
  function ancestorsOf(entity: string, from: number, to: number): Set<string> {
    return reached(entity, stoodIn(from, to));
  }

  const stoodIn = (from: number, to: number): Stood[] =>
    [...relations.values()].filter((one) => one.from <= to && one.to >= from);

  function reached(entity: string, stood: readonly Stood[], isEnd = (_id: string) => false): Set<string> {
    const found = new Set([entity]);
    for (const id of found)
      for (const one of stood)
        if (one.from_entity_id === id && (id === entity || !isEnd(id))) found.add(one.to_entity_id);
    found.delete(entity);
    return found;
  }

  /** When what an entity depended on within a time was in trouble then. */
  const troublesOf = (entity: string, from: number, to: number): Span[] =>
    [...ancestorsOf(entity, from, to)]
      .flatMap((id) => trouble.get(id) ?? [])
      .filter((one) => one.from <= to && one.to >= from);

  return {
    ancestorsOf,
    /** Of those at a time, what it cannot do without: nothing else is in its place, and what needs it is not well. */
    needsOf: (entity: string, at: number, isWell: (id: string) => boolean): Set<string> =>
      reached(
        entity,
        stoodIn(at, at).filter(({ group }) => group === null),
        isWell,
      ),
    troublesOf,
    /** When the trouble began that an entity is in at a time, without an end of all of it since. */
    troubledSince: (entity: string, at: number): number => {
      let since = at;
      for (const { from, to } of (trouble.get(entity) ?? []).toSorted((a, b) => b.to - a.to))
        if (from <= at && to >= since) since = Math.min(since, from);
      return since;
    },
    /** An entity on which something depends already when a part of it fails. */
    countsWhenDegraded: (entity: string): boolean =>
      [...relations.values()].some(({ to_entity_id, when }) => to_entity_id === entity && when === 'degraded'),
    /** When something that an entity depended on was last in trouble, or was related to it; within a time. */
    troubledUntil: (entity: string, from: number, to: number): number => {
      const spans = [...ancestorsOf(entity, from, to)].flatMap((id) => trouble.get(id) ?? []);
      const ends = [...relations.values()].map((one) => (one.to < to ? one.to : one.from));
      const all = [
        ...spans.filter((one) => one.from <= to).map((one) => Math.min(one.to, to)),
        ...ends.filter((at) => at <= to),
      ];
      return Math.max(from, ...all);
    },
  };
}
