import type { EntityItem } from '#lib/catalog/entity.ts';
import { keyTable } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';

const keys = keyTable({ BUCKETS: 2, SHARDS: 2 });

/** Returns a stored entity whose checks have no results yet. @param now time of its creation (epoch ms) */
export const shopEntity = (checkIds: string[], now: number): EntityItem => ({
  ...keys.entity('acc_a', 'ent_a'),
  v: 'entity-0',
  tenant_id: 'acc_a',
  id: 'ent_a',
  blueprint_slug: 'service',
  slug: 'shop',
  name: 'Shop',
  fields: {},
  labels: {},
  state: 'unknown',
  state_since: iso(now),
  checks: Object.fromEntries(checkIds.map((id) => [id, 'unknown'])),
  check_load: { probes: 0, expressions: 0 },
  dependencies: 0,
  dependents: 0,
  seq: 0,
  last_transition_at: 0,
  created_at: iso(now),
  updated_at: iso(now),
});
