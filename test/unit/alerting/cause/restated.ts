import type { Dependency } from '#lib/alerting/cause/graph.ts';

/** How an entity stands in a small random world. */
export type Plain = 'down' | 'suspected' | 'healthy' | 'no_data';

/** Relations by the entity that they start at, and how each entity stands. */
export type PlainWorld = { relations: Map<string, Dependency[]>; stands: Map<string, Plain> };

/**
 * The rules of explanation once more, as plainly as they can be said: no memory, no order of evaluation, each word of a
 * rule a line. For graphs of a few entities.
 */
export function restated({ relations, stands }: PlainWorld, start: string) {
  const directly = (id: string) => relations.get(id) ?? [];
  const dependsOn = (id: string, other: string, seen: string[] = []): boolean =>
    directly(id).some(
      ({ to_entity_id: next }) =>
        next === other || (!seen.includes(next) && dependsOn(next, other, [...seen, id, next])),
    );
  const failed = (id: string) => stands.get(id) === 'down' || stands.get(id) === 'suspected';
  const brokenFor = (id: string, dependent: string): boolean =>
    !dependsOn(id, dependent) && (failed(id) || (stands.get(id) === 'no_data' && hasBrokenNeed(id)));
  const brokenNeeds = (id: string): string[][] => {
    const alone = directly(id).filter(({ group }) => group === null);
    const names = new Set(directly(id).flatMap(({ group }) => group ?? []));
    const groups = [...names].map((name) => directly(id).filter(({ group }) => group === name));
    return [...alone.map((one) => [one]), ...groups].flatMap((group) => {
      const members = [...new Set(group.map(({ to_entity_id }) => to_entity_id))];
      const said = group.flatMap(({ required }) => (required === null ? [] : [required]));
      const required = Math.min(members.length, said.length > 0 ? Math.min(...said) : 1);
      const broken = members.filter((member) => brokenFor(member, id));
      return members.length - broken.length < required ? [broken] : [];
    });
  };
  const hasBrokenNeed = (id: string): boolean => brokenNeeds(id).length > 0;
  const onTheWay = (id: string): string[] =>
    brokenNeeds(id)
      .flat()
      .flatMap((one) => [one, ...onTheWay(one)]);
  const roots = new Set(onTheWay(start).filter((id) => failed(id) && !hasBrokenNeed(id)));
  return { explained: hasBrokenNeed(start), roots };
}
