import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { EntityPath, entityIdOf } from '#lib/catalog/entity-path.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { CheckFilter, type CheckOfEntity, checkList } from '#lib/checks/settings/check-list.ts';
import { checkRecord, checkSchema } from '#lib/checks/settings/check-record.ts';
import { requireCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { mapYielding } from '#lib/platform/yielding.ts';
import { CheckWithLastResult, fullCheckView, lastResultView, NewestResult } from './check-detail.ts';
import { newestResults, StaleInList, staleChecks } from './newest-results.ts';

const endpoint = route<Context>();

/** Routes that read checks. Routes that change them are in lib/checks/change. */
export const checkReadRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/checks',
    access: 'read',
    summary: 'List checks of the account or of one entity',
    status: 200,
    query: CheckFilter.extend({
      ...ListQuery.shape,
      entity_id: z.string().optional().describe('Id of the entity whose checks to return.'),
      entity: EntityPath.describe(
        'Slugs of blueprint and entity, such as service/shop, instead of entity_id.',
      ).optional(),
      last_result: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to include the newest result of each check. Default: false.'),
    }),
    reply: z.array(checkSchema('CheckInList', (type) => StaleInList.extend(NewestResult(type).shape))),
    errors: ['NOT_FOUND'],
    run: async (context, call) => {
      const { entity_id: id, entity: path, last_result } = call.query;
      const isOfOne = id !== undefined || path !== undefined;
      const only = isOfOne ? await requireEntityById(context, await entityIdOf(context, { id, path })) : undefined;
      const isStale = await staleChecks(context);
      const views = async (found: CheckOfEntity[]) => {
        const checks = found.map(({ check }) => check);
        const newest = last_result === 'true' ? await newestResults(context, checks) : undefined;
        return mapYielding([...found.entries()], ([i, { check, entity }]) => ({
          ...checkRecord(check, entity, context),
          stale: isStale(check.id),
          ...(newest && { last_result: lastResultView(context, check, newest[i]) }),
        }));
      };
      const scope = [context.tenant, 'checks', ...(only ? [only.id] : [])].join(' ');
      return listOf(scope, call, checkList(context, views, { only, filter: pick(CheckFilter, call.query) }));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}',
    access: 'read',
    summary: 'Get a check with its last result',
    status: 200,
    reply: CheckWithLastResult,
    load: (context, { id }) => requireCheck(context, id),
    run: (context, { loaded }) => fullCheckView(context, loaded),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/checks/by-slug/{slug}',
    access: 'read',
    summary: 'Get a check by slug, with its last result',
    status: 200,
    reply: CheckWithLastResult,
    load: (context, { slug }) => requireCheckBySlug(context, slug),
    run: (context, { loaded }) => fullCheckView(context, loaded),
  }),
];
