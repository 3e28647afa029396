import type { Selector } from '#lib/checks/selector.ts';
import type { FormSchema } from './form-fields.ts';
import { count, list } from './words.ts';

/** Form values of a selector: the values of a label on one line, separated by commas. */
type TypedSelector = Omit<Selector, 'labels'> & { labels?: Readonly<Record<string, string>> };

/** Converts a selector to form values; empty for all checks. */
export const typedSelector = (selector: Selector | null): TypedSelector => {
  const { labels, ...rest } = selector ?? {};
  if (!labels) return rest;
  return {
    ...rest,
    labels: Object.fromEntries(Object.entries(labels).map(([key, wanted]) => [key, [wanted].flat().join(', ')])),
  };
};

/** Converts form values to a selector; null for all checks. */
export function selectorOf(typed: unknown): Selector | null {
  const given = Object.entries((typed ?? {}) as TypedSelector).filter(([, value]) => value !== null && !isEmpty(value));
  if (given.length === 0) return null;
  const { labels, ...rest } = Object.fromEntries(given) as TypedSelector;
  return labels
    ? { ...rest, labels: Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, valuesOf(text)])) }
    : rest;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function valuesOf(text: string): string | string[] {
  const values = text.split(',').map((value) => value.trim());
  return values.length === 1 ? values[0]! : values;
}

/** Returns the form schema of a selector. @param blueprints slugs to choose from */
export const selectorSchema = (blueprints: readonly string[]): FormSchema => ({
  type: 'object',
  properties: {
    labels: {
      type: 'object',
      title: 'Labels',
      additionalProperties: { type: 'string' },
      description: 'Labels of the check or its entity. Separate alternative values with commas.',
    },
    blueprints: {
      type: 'array',
      title: 'Blueprints',
      items: { type: 'string', ...(blueprints.length > 0 && { enum: blueprints }) },
    },
    entity_ids: { type: 'array', title: 'Entities', format: 'entities', items: { type: 'string' } },
    check_ids: { type: 'array', title: 'Checks', format: 'checks', items: { type: 'string' } },
  },
});

/** Describes a selector: `label team=payments; 2 checks; only down`. @param nameOf returns the name of an entity id */
export function selectorText(
  selector: (Selector & { blueprint_slug?: string; all?: true; include_dependents?: boolean }) | null,
  nameOf: (id: string) => string,
): string {
  if (selector === null) return 'all checks';
  const { labels = {}, blueprints, blueprint_slug, entity_ids, check_ids, states, include_dependents } = selector;
  const slugs = blueprints ?? (blueprint_slug === undefined ? [] : [blueprint_slug]);
  const parts = [
    ...Object.entries(labels).map(([key, wanted]) => `label ${key}=${[wanted].flat().join(' or ')}`),
    ...(slugs.length > 0 ? [`${slugs.length === 1 ? 'blueprint' : 'blueprints'} ${list(slugs)}`] : []),
    ...(entity_ids ? [shortened(entity_ids.map(nameOf))] : []),
    ...(check_ids ? [count(check_ids.length, 'check')] : []),
  ];
  return [
    ...(parts.length > 0 ? parts : ['all checks']),
    ...(include_dependents ? ['their dependents'] : []),
    ...(states ? [`only ${states.join(' or ')}`] : []),
  ].join('; ');
}

const MAX_NAMES = 3;

const shortened = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? list(names)
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;
