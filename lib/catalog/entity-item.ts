import type { Audited } from '#lib/audit/write.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { StoredEntity } from './entity.ts';
import type { CheckState } from './states.ts';

/** An incident, by the entity whose failure it began with, or explains it (docs/CONTRACT.md#incidents). */
export type IncidentRef = { id: string; root_entity_id: string };

/**
 * An entity: its record, and the aggregate of its checks, which health decides. It is also the entity's row on
 * /v1/status. Its `fields` are stored as supplied; defaults are filled in on reading. Under 1 KB but for these.
 */
export type EntityItem = Item &
  StoredEntity & {
    v: string;
    tenant_id: string;
    /** State of each check of it by check id; at most 90. */
    checks: Record<string, CheckState>;
    /** What its enabled checks that probe add to the account's load (check-count.ts). */
    check_load: number;
    /** Number of its last transition; 0 before the first. */
    seq: number;
    /** Epoch ms of its last transition; 0 before the first. The next one is later. */
    last_transition_at: number;
    /** The incident that it is part of, from a failure of a check of it until that incident is over. */
    incident?: IncidentRef;
  };

export const auditedEntity: Audited<EntityItem> = {
  type: 'entity',
  target: ({ id, name, slug, blueprint_slug }) => ({ id, name, within: [slug, blueprint_slug] }),
  members: ({ blueprint_slug, slug, name, fields, labels, silenced, silenced_until, silence_reason }) => ({
    blueprint_slug,
    slug,
    name,
    fields,
    labels,
    silenced,
    silenced_until,
    silence_reason,
  }),
};
