import type { Selector } from '#lib/alerting/policy/selector.ts';
import type { MemberSchema } from './form-fields.ts';
import { count, list } from './words.ts';

/** A selector as a form has it: the values of a label on one line, with commas between. */
type TypedSelector = Omit<Selector, 'labels'> & { labels?: Readonly<Record<string, string>> };

/** What a form shows of a selector; nothing is typed for all checks. */
export const typedSelector = (selector: Selector | null): TypedSelector => {
  const { labels, ...rest } = selector ?? {};
  if (!labels) return rest;
  return {
    ...rest,
    labels: Object.fromEntries(Object.entries(labels).map(([key, wanted]) => [key, [wanted].flat().join(', ')])),
  };
};

/** What a form has sent, as the API takes it: null, for all checks, where nothing is typed. */
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

/** Which of all checks, or alerts, are meant: the members of a form. @param blueprints slugs to choose from */
export const selectorSchema = (blueprints: readonly string[]): MemberSchema => ({
  type: 'object',
  properties: {
    labels: {
      type: 'object',
      title: 'With the labels',
      additionalProperties: { type: 'string' },
      description: 'Of the check or its entity; with commas between values of which one must be there.',
    },
    blueprints: {
      type: 'array',
      title: 'Of the blueprints',
      items: { type: 'string', ...(blueprints.length > 0 && { enum: blueprints }) },
    },
    entity_ids: { type: 'array', title: 'Of the entities', format: 'entities', items: { type: 'string' } },
    check_ids: { type: 'array', title: 'These checks', items: { type: 'string' }, description: 'Their ids.' },
  },
});

/**
 * Which checks, or alerts, a selector means, in words: `label team=payments; 2 checks; down alone`.
 * @param nameOf of an entity, by its id
 */
export function selectorWords(
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
    ...(include_dependents ? ['what depends on them'] : []),
    ...(states ? [`${states.join(' or ')} alone`] : []),
  ].join('; ');
}

const MAX_NAMES = 3;

const shortened = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? list(names)
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;
