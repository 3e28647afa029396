import type { EntityItem } from '#lib/catalog/entity.ts';

/**
 * Where the hosts of an entity stand, by its slug: a host fails with every name that its own ends in. So what runs on
 * e1 fails with e0, whether the catalog says so or not.
 */
const STANDS_ON: Record<string, string> = { e1: 'e0', e2: 'e0', e4: 'e2.e0' };

export const SLUGS = ['e0', 'e1', 'e2', 'e3', 'e4'];

/** An entity that depends on another in truth, and that one. */
export const TRUE_RELATIONS = Object.entries(STANDS_ON).map(([slug, on]) => [slug, on.split('.')[0]!] as const);

/** The name of a host of an entity. */
export function hostOf(host: string, { slug }: Pick<EntityItem, 'slug'>): string {
  const on = STANDS_ON[slug];
  return [host, slug, ...(on ? [on] : []), 'test'].join('.');
}

/** All that a host fails with, from the widest to itself. */
export function placesOf(host: string): string[] {
  const names = host.split('.');
  if (names.pop() !== 'test') return [host];
  return names.map((_, i) => [...names.slice(names.length - 1 - i), 'test'].join('.'));
}
