import type { Dependency } from '#lib/alerting/cause/graph.ts';

/** Returns a dependency on an entity: by default without a group, and affected when that entity is down. */
export const to = (id: string, more: Partial<Dependency> = {}): Dependency => ({
  to_entity_id: id,
  group: null,
  required: null,
  when: 'down',
  ...more,
});
