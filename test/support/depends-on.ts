import type { Dependency } from '#lib/alerting/cause/graph.ts';

/** That something depends on an entity: by itself, and on its being down, unless `more` says otherwise. */
export const to = (id: string, more: Partial<Dependency> = {}): Dependency => ({
  to_entity_id: id,
  group: null,
  required: null,
  when: 'down',
  ...more,
});
