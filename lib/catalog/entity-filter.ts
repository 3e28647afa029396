import * as z from 'zod';
import { commaListOf, SearchText } from '#lib/platform/http/query-params.ts';
import { isFoundIn } from '#lib/platform/text.ts';
import type { EntityItem } from './entity.ts';
import { hasLabels, LabelFilter } from './labels.ts';
import { EntityState } from './states.ts';

/** Filter for entities; all conditions must match. */
export const EntityFilter = z.object({
  state: commaListOf(EntityState.options)
    .describe('Only entities in one of these states, comma-separated, such as `down,degraded`.')
    .optional(),
  label: LabelFilter.optional(),
  q: SearchText.describe(
    'Only entities whose name or slug contains this text, 2–100 characters, ignoring case.',
  ).optional(),
});
export type EntityFilter = z.output<typeof EntityFilter>;

/** Whether a filter has any condition. */
export const hasCondition = (wanted: object): boolean => Object.values(wanted).some((member) => member !== undefined);

/** Whether an entity matches a filter. */
export const matchesEntityFilter = (
  { state, labels, name, slug }: Pick<EntityItem, 'state' | 'labels' | 'name' | 'slug'>,
  wanted: EntityFilter,
): boolean =>
  (wanted.state === undefined || wanted.state.includes(state)) &&
  (wanted.label === undefined || hasLabels(labels, wanted.label)) &&
  (wanted.q === undefined || isFoundIn(wanted.q, [name, slug]));
