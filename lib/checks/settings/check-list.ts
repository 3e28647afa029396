import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { isPicky } from '#lib/catalog/entity-filter.ts';
import { hasLabels, LabelFilter } from '#lib/catalog/labels.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { entitiesById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { commaListOf, Words } from '#lib/platform/http/query-params.ts';
import type { Page } from '#lib/platform/ports.ts';
import { MAX_SCANNED, SCANNED_AT_ONCE } from '#lib/platform/table/pages.ts';
import { isFoundIn } from '#lib/platform/text.ts';
import { shownTargets } from './check-record.ts';
import { checksOf } from './store.ts';

/** What is looked for among checks; all of it must hold. */
export const CheckFilter = z.object({
  state: commaListOf(CheckState.options).describe('Only those in one of these states: `down,unknown`.').optional(),
  type: commaListOf([...checkTypes.keys()])
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
const mayFit = (state: CheckState, wanted: CheckFilter): boolean =>
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

/** A check of a list, and the entity that it is on. */
export type CheckOfEntity = { check: CheckItem; entity: EntityItem };

/** Entities that are read together where every check of theirs is shown. */
const ENTITIES_A_PAGE = 40;
/** Checks that are read together where few of them may fit. */
const CHECKS_AT_ONCE = 2_000;

type CheckListQuery = {
  /** The entity, where it is of one alone. */
  only?: EntityItem | undefined;
  wanted?: CheckFilter;
};

/**
 * The checks of the tenant, entity by entity, each in the order of their making. Where some are looked for, it has
 * `enough` after a look at 1,000 entities.
 * @param views what is shown of some checks, in their order
 */
export function checkList<T>(
  context: Context,
  views: (found: CheckOfEntity[]) => Promise<T[]>,
  { only, wanted = {} }: CheckListQuery = {},
): Reader<T> {
  const picky = isPicky(wanted);
  let walked = 0;
  return async (after, limit) => {
    const [from, behind] = after?.split(' ') ?? [];
    const page: Page<EntityItem> = only
      ? { items: [only] }
      : // That of a position is read again, as checks of it may remain.
        await entitiesById(context, { from }, picky ? SCANNED_AT_ONCE : ENTITIES_A_PAGE);
    const held = page.items.map((entity) => ({ ...entity, checks: candidates(entity, from, behind, wanted) }));
    const taken = upTo(picky ? CHECKS_AT_ONCE : limit, held);
    const entities = new Map(taken.map((entity) => [entity.id, entity]));
    const checks = (await checksOf(context, taken)).map((check) => ({ check, entity: entities.get(check.entity_id)! }));
    const shown = checks.filter(({ check, entity }) => fitsCheck(check, entity, wanted, context.caller));
    const values = await views(shown);
    const found = shown.map(({ check }, i) => ({ at: `${check.entity_id} ${check.id}`, value: values[i]! }));
    walked += taken.length;
    const next = taken.length < page.items.length ? taken.at(-1)!.id : page.next;
    return { found, next: next && `${next} ~`, enough: picky && walked >= MAX_SCANNED };
  };
}

/** The checks of an entity behind a position that may fit. */
function candidates(
  { id, checks }: EntityItem,
  from: string | undefined,
  behind: string | undefined,
  wanted: CheckFilter,
): EntityItem['checks'] {
  const all = Object.entries(checks);
  return Object.fromEntries(
    all.filter(([check, state]) => mayFit(state, wanted) && (id !== from || behind === undefined || check > behind)),
  );
}

/** The first of some entities with so many checks together, or one more. */
function upTo(most: number, entities: EntityItem[]): EntityItem[] {
  let count = 0;
  const end = entities.findIndex(({ checks }) => {
    count += Object.keys(checks).length;
    return count >= most;
  });
  return end < 0 ? entities : entities.slice(0, end + 1);
}
