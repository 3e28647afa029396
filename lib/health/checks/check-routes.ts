import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkList } from '#lib/checks/check-list.ts';
import { CheckRecord, checkRecord, checkSchema } from '#lib/checks/check-record.ts';
import { CheckInput, CheckPatch } from '#lib/checks/model.ts';
import { requireCheck } from '#lib/checks/store.ts';
import { newestResults } from '#lib/health/status/newest-results.ts';
import { staleChecks } from '#lib/health/status/staleness.ts';
import { route } from '#lib/platform/http/route.ts';
import { mapInTurns } from '#lib/platform/net/turns.ts';
import { ListQuery, listOf } from '#lib/platform/table/paging.ts';
import { createCheck, deleteCheck, updateCheck } from './change-check.ts';
import { checkDetail, detailOf, lastResultView, NewestResult, Stale } from './check-detail.ts';

const row = route<Context>();

export const checkRows = [
  row({
    method: 'GET',
    path: '/v1/checks',
    access: 'read',
    summary: 'All checks of the account, or of one entity',
    status: 200,
    query: ListQuery.extend({
      entity_id: z.string().optional().describe('Only the checks of this entity.'),
      last_result: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to show the newest result of each as well. Default false.'),
    }),
    reply: z.array(checkSchema('CheckInList', (type) => Stale.extend(NewestResult(type).shape))),
    errors: ['NOT_FOUND'],
    run: async (context, call) => {
      const { entity_id } = call.query;
      const entity = entity_id === undefined ? undefined : await requireEntityById(context, entity_id);
      const isStale = await staleChecks(context);
      const views = async (checks: CheckItem[]) => {
        const newest = call.query.last_result === 'true' ? await newestResults(context, checks) : undefined;
        return mapInTurns([...checks.entries()], ([i, check]) => ({
          ...checkRecord(check, context),
          stale: isStale(check.id),
          ...(newest && { last_result: lastResultView(context, check, newest[i]) }),
        }));
      };
      const scope = [context.tenant, 'checks', ...(entity ? [entity.id] : [])].join(' ');
      return listOf(scope, call, checkList(context, views, entity));
    },
  }),
  row({
    method: 'POST',
    path: '/v1/checks',
    access: 'write',
    summary: 'Attach a check to an entity; it is probed within seconds',
    status: 201,
    body: CheckInput,
    reply: CheckRecord,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => checkRecord(await createCheck(context, body), context),
  }),
  row({
    method: 'GET',
    path: '/v1/checks/{id}',
    access: 'read',
    summary: 'A check with its last result',
    status: 200,
    reply: checkSchema('CheckWithLastResult', detailOf),
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded }) => ({
      ...checkRecord(loaded, context),
      ...(await checkDetail(context, loaded)),
    }),
  }),
  row({
    method: 'PUT',
    path: '/v1/checks/{id}',
    access: 'write',
    summary: 'Change a check; only what is supplied changes',
    status: 200,
    body: CheckPatch,
    reply: CheckRecord,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load: (context, { id }) => requireCheck(context, id),
    run: async (context, { loaded, body }) => checkRecord(await updateCheck(context, loaded, body), context),
  }),
  row({
    method: 'DELETE',
    path: '/v1/checks/{id}',
    access: 'write',
    summary: 'Delete a check',
    status: 204,
    load: (context, { id }) => requireCheck(context, id),
    run: (context, { loaded }) => deleteCheck(context, loaded),
  }),
];
