import * as z from 'zod';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { LABEL_KEY, LABEL_KEY_RULE } from '#lib/catalog/labels.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { isId } from '#lib/platform/ids.ts';
import { line, Slug } from '#lib/platform/text.ts';

const MAX_IDS = 200;
const MAX_VALUES = 20;
const MAX_LABELS = 20;

const listOf = <Element extends z.ZodType>(element: Element, maxLength: number) =>
  z.array(element).min(1, 'must name at least one; omit it for all').max(maxLength, `must name at most ${maxLength}`);

export const idsOf = (prefix: string, what: string) =>
  listOf(
    z.string().refine((id) => isId(prefix, id), `must be the id of ${what}: ${prefix}_…`),
    MAX_IDS,
  );

const labelValue = line(0, 100);

export const SelectorLabels = z
  .record(z.string(), z.union([labelValue, listOf(labelValue, MAX_VALUES)]))
  .superRefine((labels, context) => {
    const keys = Object.keys(labels);
    for (const key of keys)
      if (!LABEL_KEY.test(key)) context.addIssue({ code: 'custom', path: [key], message: LABEL_KEY_RULE });
    if (keys.length === 0 || keys.length > MAX_LABELS)
      context.addIssue({ code: 'custom', message: `must have 1 to ${MAX_LABELS} labels` });
  })
  .describe(
    'Labels of the check or its entity; a label of the check takes precedence. Per label, one value or a ' +
      'list of accepted values.',
  )
  .exactOptional();

const properties = {
  labels: SelectorLabels,
  blueprints: listOf(Slug, MAX_IDS).describe('Slugs of blueprints: checks of their entities.').exactOptional(),
  entity_ids: idsOf('ent', 'an entity').describe('Checks of these entities.').exactOptional(),
  check_ids: idsOf('chk', 'a check').describe('These checks.').exactOptional(),
};

const isEmpty = (selector: object): boolean => Object.keys(selector).length === 0;
const NOT_EMPTY = 'must have at least one property; null selects all checks';

/** A selection of checks that match every label and every other property, each by one of its values. */
export const CheckSelector = z
  .strictObject(properties)
  .refine((selector) => !isEmpty(selector), NOT_EMPTY)
  .meta({ id: 'CheckSelector' });

export const AlertSelector = z
  .strictObject({
    ...properties,
    states: listOf(z.enum(['up', 'degraded', 'down']), 3)
      .describe('Alerts that report one of these states.')
      .exactOptional(),
  })
  .refine((selector) => !isEmpty(selector), NOT_EMPTY)
  .meta({ id: 'AlertSelector' });
export type Selector = z.infer<typeof AlertSelector>;

export type Selectable = {
  check: Pick<CheckItem, 'id' | 'labels'>;
  entity: Pick<EntityItem, 'id' | 'blueprint_slug' | 'labels'>;
};

/** Whether a selector matches a check, regardless of its `states`; null matches all. Pure. */
export function selects(selector: Selector | null, { check, entity }: Selectable): boolean {
  if (selector === null) return true;
  const { labels = {}, blueprints, entity_ids, check_ids } = selector;
  const own: Readonly<Record<string, string>> = { ...entity.labels, ...check.labels };
  return (
    Object.entries(labels).every(([key, wanted]) => [wanted].flat().includes(own[key]!)) &&
    (blueprints?.includes(entity.blueprint_slug) ?? true) &&
    (entity_ids?.includes(entity.id) ?? true) &&
    (check_ids?.includes(check.id) ?? true)
  );
}

/** Formats why a selector matches a check: `label team=payments`, `every check`. */
export function selectionReason(selector: Selector | null, { check, entity }: Selectable): string {
  if (selector === null) return 'every check';
  const own: Readonly<Record<string, string>> = { ...entity.labels, ...check.labels };
  const why = [
    ...Object.keys(selector.labels ?? {}).map((key) => `label ${key}=${own[key]}`),
    ...(selector.blueprints ? [`blueprint ${entity.blueprint_slug}`] : []),
    ...(selector.entity_ids ? ['this entity'] : []),
    ...(selector.check_ids ? ['this check'] : []),
  ];
  const only = selector.states ? `, only ${selector.states.join(' or ')}` : '';
  return `${why.join(', ') || 'every check'}${only}`;
}
