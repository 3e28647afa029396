import type { Entity, State } from '#console/api/records.ts';
import { pathTo } from './address.ts';
import type { FormSchema } from './form-fields.ts';
import { labelChanges, labelText } from './labels.ts';

/** Returns the API path of an entity: `/v1/blueprints/service/entities/shop`. */
export const entityPath = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>): string =>
  pathTo('/v1/blueprints/:blueprint/entities/:slug', { blueprint: blueprint_slug, slug });

export const entityHref = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>): string =>
  `#${pathTo('/entities/:blueprint/:slug', { blueprint: blueprint_slug, slug })}`;

export const blueprintPath = (slug: string): string => pathTo('/v1/blueprints/:slug', { slug });

/** Returns the link to a blueprint. @param part tab other than the entities */
export const blueprintHref = (slug: string, part?: 'fields' | 'import'): string =>
  `#${pathTo('/catalog/:slug', { slug })}${part ? `?part=${part}` : ''}`;

export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.map(valueText).join(', ') : String(value);
}

type Searched = Pick<Entity, 'name' | 'slug' | 'fields' | 'labels'> & { state: State };

/** Returns the rows whose name, slug, values or labels contain every word. */
export function rowsWithWords<T extends Searched>(rows: readonly T[], words: string): readonly T[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return rows;
  return rows.filter(({ name, slug, fields, labels }) => {
    const text = [name, slug, ...Object.values(fields).map(valueText), labelText(labels)].join('\n').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

type Change = Record<string, unknown> & { fields?: Record<string, unknown>; labels?: Record<string, string | null> };

/** Returns only the changed properties: concurrent changes to the rest stay, and defaults are not stored as values. */
export function changedOnly(
  body: Record<string, unknown>,
  { name, fields, labels }: Pick<Entity, 'name' | 'fields' | 'labels'>,
): Change {
  const changedLabels = body.labels ? labelChanges(labels, body.labels as Record<string, string>) : {};
  const given = Object.entries((body.fields ?? {}) as Record<string, unknown>);
  const changed = given.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(fields[key]));
  return {
    ...(body.name !== name && { name: body.name }),
    ...(changed.length > 0 && { fields: Object.fromEntries(changed) }),
    ...(Object.keys(changedLabels).length > 0 && { labels: changedLabels }),
  };
}

/** Field of a blueprint (lib/catalog/field.ts). */
type BlueprintField = {
  name: string;
  field_type: 'string' | 'number' | 'boolean' | 'url' | 'array';
  required: boolean;
  default_value?: string | undefined;
};

const OF_TYPE: Readonly<Record<BlueprintField['field_type'], FormSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  url: { type: 'string', format: 'uri' },
  array: { type: 'array' },
};

/** Builds the form schema of `fields` of an entity. The title of an input is the field name that users chose. */
export const schemaOfFields = (fields: readonly BlueprintField[]): FormSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ name, field_type, default_value }) => {
      const description = default_value === undefined ? {} : { description: `Default: ${default_value}` };
      return [name, { ...OF_TYPE[field_type], title: name, ...description }];
    }),
  ),
  required: fields.filter((field) => field.required && field.default_value === undefined).map(({ name }) => name),
});
