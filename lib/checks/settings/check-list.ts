import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { hasCondition } from '#lib/catalog/entity-filter.ts';
import { hasLabels, LabelFilter } from '#lib/catalog/labels.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { entityPage } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { commaListOf, SearchText } from '#lib/platform/http/query-params.ts';
import type { Page } from '#lib/platform/ports.ts';
import { MAX_SCANNED, SCANNED_AT_ONCE } from '#lib/platform/table/pages.ts';
import { isFoundIn } from '#lib/platform/text.ts';
import { visibleTargets } from './check-record.ts';
import { checksOf } from './store.ts';

/** Filter of a list of checks; all conditions must be met. */
export const CheckFilter = z.object({
  state: commaListOf(CheckState.options).describe('Only checks in one of these states: `down,unknown`.').optional(),
  type: commaListOf([...checkTypes.keys()])
    .describe('Only checks of one of these types.')
    .optional(),
  label: LabelFilter.describe(
    'Only checks with this label, including labels of the entity: `team:payments`. A comma separates alternatives; a repeated parameter adds a condition. Escape a comma as `\\,`.',
  ).optional(),
  enabled: z.enum(['true', 'false']).describe('Only enabled checks, or only disabled ones.').optional(),
  q: SearchText.describe('Text in name, slug or target, ignoring case; 2 to 100 characters.').optional(),
});
export type CheckFilter = z.output<typeof CheckFilter>;

/** Whether a check in this state can match. The entity item has the state, so other checks need not be read. */
const canMatch = (state: CheckState, filter: CheckFilter): boolean =>
  filter.state === undefined || filter.state.includes(state);

/** Whether a check matches. @param caller determines which parts of a target are searched */
export const matchesCheck = (
  check: CheckItem,
  entity: Pick<EntityItem, 'labels'>,
  filter: CheckFilter,
  caller: Rights,
): boolean =>
  canMatch(check.state, filter) &&
  (filter.type === undefined || filter.type.includes(check.check_type)) &&
  (filter.enabled === undefined || (filter.enabled === 'true') === check.enabled) &&
  (filter.label === undefined || hasLabels({ ...entity.labels, ...check.labels }, filter.label)) &&
  (filter.q === undefined || isFoundIn(filter.q, [check.name, check.slug, ...visibleTargets(check, caller)]));

export type CheckOfEntity = { check: CheckItem; entity: EntityItem };

const ENTITIES_PER_PAGE = 40;
const CHECKS_AT_ONCE = 2_000;

type CheckListQuery = {
  only?: EntityItem | undefined;
  filter?: CheckFilter;
};

/** Returns a reader of checks in order of entity and creation; with a filter, it sets `enough` after 1,000 entities. */
export function checkList<T>(
  context: Context,
  views: (found: CheckOfEntity[]) => Promise<T[]>,
  { only, filter = {} }: CheckListQuery = {},
): Reader<T> {
  const isFiltered = hasCondition(filter);
  let scanned = 0;
  return async (after, limit) => {
    const [from, afterCheck] = after?.split(' ') ?? [];
    const page: Page<EntityItem> = only
      ? { items: [only] }
      : // The entity of the position is read again, because some of its checks can remain.
        await entityPage(context, { from }, isFiltered ? SCANNED_AT_ONCE : ENTITIES_PER_PAGE);
    const entitiesRead = page.items.map((entity) => ({
      ...entity,
      checks: candidates(entity, from, afterCheck, filter),
    }));
    const used = firstWith(isFiltered ? CHECKS_AT_ONCE : limit, entitiesRead);
    const entities = new Map(used.map((entity) => [entity.id, entity]));
    const checks = (await checksOf(context, used)).map((check) => ({ check, entity: entities.get(check.entity_id)! }));
    const matching = checks.filter(({ check, entity }) => matchesCheck(check, entity, filter, context.caller));
    const values = await views(matching);
    const found = matching.map(({ check }, i) => ({ at: `${check.entity_id} ${check.id}`, value: values[i]! }));
    scanned += used.length;
    const next = used.length < page.items.length ? used.at(-1)!.id : page.next;
    return { found, next: next && `${next} ~`, enough: isFiltered && scanned >= MAX_SCANNED };
  };
}

function candidates(
  { id, checks }: EntityItem,
  from: string | undefined,
  afterCheck: string | undefined,
  filter: CheckFilter,
): EntityItem['checks'] {
  const all = Object.entries(checks);
  return Object.fromEntries(
    all.filter(
      ([check, state]) => canMatch(state, filter) && (id !== from || afterCheck === undefined || check > afterCheck),
    ),
  );
}

function firstWith(count: number, entities: EntityItem[]): EntityItem[] {
  let total = 0;
  const end = entities.findIndex(({ checks }) => {
    total += Object.keys(checks).length;
    return total >= count;
  });
  return end < 0 ? entities : entities.slice(0, end + 1);
}
