import * as z from 'zod';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { hasLabels, LabelFilter } from '#lib/catalog/labels.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { shownTargets } from '#lib/checks/settings/check-record.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { someOf, Words } from '#lib/platform/http/query-params.ts';
import { isFoundIn } from '#lib/platform/text.ts';
import type { CheckItem } from './check-item.ts';

/** What is looked for among checks; all of it must hold. */
export const CheckFilter = z.object({
  state: someOf(CheckState.options).describe('Only those in one of these states: `down,unknown`.').optional(),
  type: someOf([...checkTypes.keys()])
    .describe('Only those of one of these check types.')
    .optional(),
  label: LabelFilter.describe(
    'Only those with this label, of their own or of their entity, where their own wins: `team:payments`. A comma means or; given several times, all must hold. A comma in a value is written `\\,`.',
  ).optional(),
  enabled: z.enum(['true', 'false']).describe('Only those that are enabled, or that are not.').optional(),
  q: Words.describe('Only those with this in their name, slug or target, in any case; 2 to 100 characters.').optional(),
});
export type CheckFilter = z.output<typeof CheckFilter>;

/** Whether a check may fit, by its state as its entity has it: so that the others need not be read. */
export const mayFit = (state: CheckState, wanted: CheckFilter): boolean =>
  wanted.state === undefined || wanted.state.includes(state);

/** @param caller who looks: what they may not see of a target is not looked at */
export const fitsCheck = (
  check: CheckItem,
  entity: Pick<EntityItem, 'labels'>,
  wanted: CheckFilter,
  caller: Rights,
): boolean =>
  mayFit(check.state, wanted) &&
  (wanted.type === undefined || wanted.type.includes(check.check_type)) &&
  (wanted.enabled === undefined || (wanted.enabled === 'true') === check.enabled) &&
  (wanted.label === undefined || hasLabels({ ...entity.labels, ...check.labels }, wanted.label)) &&
  (wanted.q === undefined || isFoundIn(wanted.q, [check.name, check.slug, ...shownTargets(check, caller)]));
