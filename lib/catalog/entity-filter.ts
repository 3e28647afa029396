import * as z from 'zod';
import { commaListOf, Words } from '#lib/platform/http/query-params.ts';
import { isFoundIn } from '#lib/platform/text.ts';
import type { EntityItem } from './entity.ts';
import { hasLabels, LabelFilter } from './labels.ts';
import { EntityState } from './states.ts';

/** What is looked for among entities; all of it must hold. */
export const EntityFilter = z.object({
  state: commaListOf(EntityState.options).describe('Only those in one of these states: `down,degraded`.').optional(),
  label: LabelFilter.optional(),
  q: Words.describe('Only those with this in their name or slug, in any case; 2 to 100 characters.').optional(),
});
export type EntityFilter = z.output<typeof EntityFilter>;

/** Whether anything is looked for. */
export const isPicky = (wanted: object): boolean => Object.values(wanted).some((member) => member !== undefined);

export const fitsEntity = (
  { state, labels, name, slug }: Pick<EntityItem, 'state' | 'labels' | 'name' | 'slug'>,
  wanted: EntityFilter,
): boolean =>
  (wanted.state === undefined || wanted.state.includes(state)) &&
  (wanted.label === undefined || hasLabels(labels, wanted.label)) &&
  (wanted.q === undefined || isFoundIn(wanted.q, [name, slug]));
