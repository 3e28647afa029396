import type { Item } from '#lib/platform/ports.ts';
import type { CheckState, EntityState } from './states.ts';

/**
 * An entity: its record, and the aggregate of its checks, which health decides. It is also the entity's row on
 * /v1/status. Under 1 KB but for the tenant's own fields.
 */
export type EntityItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  blueprint_slug: string;
  slug: string;
  name: string;
  /** As supplied; defaults are filled in on reading. */
  fields: Record<string, unknown>;
  state: EntityState;
  /** ISO 8601. */
  state_since: string;
  /** State of each check of it by check id; at most 90. */
  checks: Record<string, CheckState>;
  /** What its enabled checks that probe add to the account's load (check-count.ts). */
  check_load: number;
  /** Number of its last transition; 0 before the first. */
  seq: number;
  /** Epoch ms of its last transition; 0 before the first. The next one is later. */
  last_transition_at: number;
  created_at: string;
  updated_at: string;
};
