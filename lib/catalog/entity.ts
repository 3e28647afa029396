import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { isObject, pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import type { BlueprintItem } from './blueprint.ts';
import { shownValues } from './field.ts';
import { LabelChanges, Labels } from './labels.ts';
import { SilenceChanges, SilenceMembers, type SilenceSettings, silenceSettingsView } from './silence-settings.ts';
import { type CheckState, EntityState } from './states.ts';

/** Validated against the blueprint by `mergeValues`. */
const Values = z
  .custom<Record<string, unknown>>(isObject, 'must be an object from field names to values')
  .meta({ type: 'object', additionalProperties: true })
  .describe('Values by the names of the fields of the blueprint; each of the type of its field.');

const LABELS = 'What it is tagged with, to find it by: `{"team": "payments"}`. Its checks count as tagged with it too.';

const EntityName = Name.describe('What alerts call it.');

export const NewEntity = z
  .object({
    slug: Slug.describe('Names the entity in paths; unique within its blueprint, and fixed.'),
    name: EntityName,
    fields: Values.default({}),
    labels: Labels.describe(`${LABELS} At most 20.`).optional(),
  })
  .meta({ id: 'NewEntity' });
export type NewEntity = z.infer<typeof NewEntity>;

/** A record can be sent back whole: `id`, `slug` and `blueprint_slug` may be repeated but not changed. */
export const EntityPatch = z
  .object({
    id: Unchanged.optional(),
    slug: Unchanged.optional(),
    blueprint_slug: Unchanged.optional(),
    name: EntityName.optional(),
    fields: Values.describe(
      'Merges per key; null removes a value, and the default of the field shows again.',
    ).optional(),
    labels: LabelChanges.optional(),
    ...SilenceChanges,
  })
  .meta({ id: 'EntityPatch' });
export type EntityPatch = z.infer<typeof EntityPatch>;

export const Entity = z
  .object({
    id: IdOf('the entity'),
    blueprint_slug: z.string().describe('Of the blueprint it is one of.'),
    slug: z.string().describe('Names the entity in paths.'),
    name: z.string().describe('What alerts call it.'),
    fields: z.record(z.string(), z.unknown()).describe('Values by field name, defaults filled in.'),
    labels: z.record(z.string(), z.string()).describe(LABELS),
    state: EntityState,
    state_since: z.iso.datetime().describe('Since when it is in this state.'),
    dependencies: z.int().describe('Relations from it that carry failure: what it depends on.'),
    dependents: z.int().describe('Relations to it that carry failure: what depends on it directly.'),
    ...SilenceMembers,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Entity' });
export type Entity = z.infer<typeof Entity>;

/** An entity as it is stored: a silence that was lifted has no members. */
type StoredEntity = Omit<Entity, keyof SilenceSettings> & SilenceSettings;

/** An entity as the API shows it at `now` (epoch ms), its fields filled up with the blueprint's defaults. */
export const entityRecord = (item: StoredEntity, blueprint: Pick<BlueprintItem, 'fields'>, now: number): Entity =>
  pick(Entity, { ...item, ...silenceSettingsView(item, now), fields: shownValues(blueprint.fields, item.fields) });

/** An incident, by the entity whose failure it began with, or explains it (docs/use/incidents.md). */
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
