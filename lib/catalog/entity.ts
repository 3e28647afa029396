import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { isObject, pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { Name, Slug } from '#lib/platform/text.ts';
import type { BlueprintItem } from './blueprint.ts';
import type { CheckLoad } from './check-count.ts';
import { shownValues } from './field.ts';
import { LabelChanges, Labels } from './labels.ts';
import { SilenceChanges, SilenceProperties, type SilenceSettings, silenceSettingsView } from './silence-settings.ts';
import { type CheckState, EntityState } from './states.ts';

const Values = z
  .custom<Record<string, unknown>>(isObject, 'must be an object from field names to values')
  .meta({ type: 'object', additionalProperties: true })
  .describe("Values by field name of the blueprint, each of the field's type.");

const LABELS = 'Labels of the entity, which also apply to its checks, for filters: `{"team": "payments"}`.';

const EntityName = Name.describe('Name of the entity in alerts.');

export const NewEntity = z
  .object({
    slug: Slug.describe('Slug of the entity in paths; unique within its blueprint, cannot change.'),
    name: EntityName,
    fields: Values.default({}),
    labels: Labels.describe(`${LABELS} At most 20.`).optional(),
  })
  .meta({ id: 'NewEntity' });
export type NewEntity = z.infer<typeof NewEntity>;

/** Partial update; `id`, `slug` and `blueprint_slug` are accepted unchanged, so that a record can be sent back. */
export const EntityPatch = z
  .object({
    id: Unchanged.optional(),
    slug: Unchanged.optional(),
    blueprint_slug: Unchanged.optional(),
    name: EntityName.optional(),
    fields: Values.describe(
      'Values by field name, merged per key; null removes a value, so that the default applies again.',
    ).optional(),
    labels: LabelChanges.optional(),
    ...SilenceChanges,
  })
  .meta({ id: 'EntityPatch' });
export type EntityPatch = z.infer<typeof EntityPatch>;

export const Entity = z
  .object({
    id: IdOf('the entity'),
    blueprint_slug: z.string().describe('Slug of its blueprint.'),
    slug: z.string().describe('Slug of the entity in paths.'),
    name: z.string().describe('Name of the entity in alerts.'),
    fields: z.record(z.string(), z.unknown()).describe('Values by field name, with defaults.'),
    labels: z.record(z.string(), z.string()).describe(LABELS),
    state: EntityState,
    state_since: z.iso.datetime().describe('Start of the current state, in UTC.'),
    dependencies: z.int().describe('Number of relations from this entity that propagate failure.'),
    dependents: z.int().describe('Number of relations to this entity that propagate failure.'),
    ...SilenceProperties,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Entity' });
export type Entity = z.infer<typeof Entity>;

type StoredEntity = Omit<Entity, keyof SilenceSettings> & SilenceSettings;

/** Returns the entity as the API shows it at `now` (epoch ms), with defaults of its blueprint. */
export const entityRecord = (item: StoredEntity, blueprint: Pick<BlueprintItem, 'fields'>, now: number): Entity =>
  pick(Entity, { ...item, ...silenceSettingsView(item, now), fields: shownValues(blueprint.fields, item.fields) });

/** Reference to an incident and to the entity that is its root cause (docs/use/incidents.md). */
export type IncidentRef = { id: string; root_entity_id: string };

/** Entity with the aggregate state of its checks. `fields` are stored without defaults. */
export type EntityItem = Item &
  StoredEntity & {
    v: string;
    tenant_id: string;
    /** State of each of its checks by id, at most 90. */
    checks: Record<string, CheckState>;
    /** Load of its enabled checks. */
    check_load: CheckLoad;
    /** Number of its last transition; 0 before the first. */
    seq: number;
    /** Time of its last transition, epoch ms, always increasing; 0 before the first. */
    last_transition_at: number;
    incident?: IncidentRef;
  };

export const auditedEntity: Audited<EntityItem> = {
  type: 'entity',
  target: ({ id, name, slug, blueprint_slug }) => ({ id, name, within: [slug, blueprint_slug] }),
  properties: ({ blueprint_slug, slug, name, fields, labels, silenced, silenced_until, silence_reason }) => ({
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
