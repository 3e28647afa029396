import type { Dependency } from '#lib/alerting/cause/graph.ts';

/** The status of an entity in a small random graph. */
export type PlainStatus = 'down' | 'suspected' | 'healthy' | 'no_data';

/** Outgoing relations and status of each entity, by entity. */
export type PlainGraph = { relations: Map<string, Dependency[]>; statuses: Map<string, PlainStatus> };

/**
 * Restates the rules of root causes as plainly as possible, for small graphs: without a cache or an order of
 * evaluation.
 */
export function plainRootCauses({ relations, statuses }: PlainGraph, start: string) {
  const directly = (id: string) => relations.get(id) ?? [];
  const dependsOn = (id: string, other: string, seen: string[] = []): boolean =>
    directly(id).some(
      ({ to_entity_id: next }) =>
        next === other || (!seen.includes(next) && dependsOn(next, other, [...seen, id, next])),
    );
  const failed = (id: string) => statuses.get(id) === 'down' || statuses.get(id) === 'suspected';
  const brokenFor = (id: string, dependent: string): boolean =>
    !dependsOn(id, dependent) && (failed(id) || (statuses.get(id) === 'no_data' && hasBrokenNeed(id)));
  const brokenNeeds = (id: string): string[][] => {
    const ungrouped = directly(id).filter(({ group }) => group === null);
    const groupNames = new Set(directly(id).flatMap(({ group }) => group ?? []));
    const groups = [...groupNames].map((name) => directly(id).filter(({ group }) => group === name));
    return [...ungrouped.map((one) => [one]), ...groups].flatMap((group) => {
      const members = [...new Set(group.map(({ to_entity_id }) => to_entity_id))];
      const stated = group.flatMap(({ required }) => (required === null ? [] : [required]));
      const required = Math.min(members.length, stated.length > 0 ? Math.min(...stated) : 1);
      const broken = members.filter((member) => brokenFor(member, id));
      return members.length - broken.length < required ? [broken] : [];
    });
  };
  const hasBrokenNeed = (id: string): boolean => brokenNeeds(id).length > 0;
  const brokenUpstream = (id: string): string[] =>
    brokenNeeds(id)
      .flat()
      .flatMap((one) => [one, ...brokenUpstream(one)]);
  const roots = new Set(brokenUpstream(start).filter((id) => failed(id) && !hasBrokenNeed(id)));
  return { explained: hasBrokenNeed(start), roots };
}
