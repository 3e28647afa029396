import type { EntityItem } from '#lib/catalog/entity.ts';

/**
 * Actual dependencies of entities by slug. The name of a host ends with the names of its dependencies, and a host fails
 * whenever one of them fails. So the hosts of e1 fail with the hosts of e0, even if the catalog lacks that relation.
 */
const DEPENDS_ON: Record<string, string> = { e1: 'e0', e2: 'e0', e4: 'e2.e0' };

export const SLUGS = ['e0', 'e1', 'e2', 'e3', 'e4'];

/** Pairs of an entity and its direct actual dependency, by slug. */
export const TRUE_RELATIONS = Object.entries(DEPENDS_ON).map(([slug, on]) => [slug, on.split('.')[0]!] as const);

/** Returns the name of a host of an entity. */
export function hostOf(host: string, { slug }: Pick<EntityItem, 'slug'>): string {
  const on = DEPENDS_ON[slug];
  return [host, slug, ...(on ? [on] : []), 'test'].join('.');
}

/** Returns everything that a host fails with, from the most general to itself. */
export function placesOf(host: string): string[] {
  const names = host.split('.');
  if (names.pop() !== 'test') return [host];
  return names.map((_, i) => [...names.slice(names.length - 1 - i), 'test'].join('.'));
}
