import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { explainCheck, explainOne, requireTransition } from './explain.ts';
import { Explanation } from './explanation.ts';
import { assertTransitionRange, checkTransitions, scopeOf, TransitionRange, transitionFeed } from './transitions.ts';

const row = route<Context>();

/** Changes of state, each with its alert, and why it was decided so. */
export const transitionRoutes = [
  row({
    method: 'GET',
    path: '/v1/status/transitions',
    access: 'read',
    summary: 'Changes of state across all entities or of one, newest first; or those after one, oldest first',
    status: 200,
    query: TransitionRange.extend({
      entity_id: z.string().optional().describe('Only those of this entity.'),
      ...ListQuery.shape,
      limit: limitParam(50, 1000),
    }),
    reply: z.array(TransitionRecord),
    errors: ['NOT_FOUND'],
    run: async (context, call) => {
      const { entity_id, ...range } = call.query;
      assertTransitionRange(range);
      const entity = entity_id === undefined ? undefined : await requireEntityById(context, entity_id);
      return listOf(scopeOf(context, 'status', range), call, transitionFeed(context, range, entity));
    },
  }),
  row({
    method: 'GET',
    path: '/v1/checks/{id}/transitions',
    access: 'read',
    summary: 'Changes of state of a check, newest first; or those after one, oldest first',
    status: 200,
    query: TransitionRange.extend({ ...ListQuery.shape, limit: limitParam(50, 1000) }),
    reply: z.array(TransitionRecord),
    load: (context, { id }: { id: string }) => requireCheck(context, id),
    run: async (context, call) => {
      const { loaded, query } = call;
      assertTransitionRange(query);
      return listOf(scopeOf(context, loaded.id, query), call, checkTransitions(context, loaded, query));
    },
  }),
  row({
    method: 'GET',
    path: '/v1/checks/{id}/explain',
    access: 'read',
    summary: 'Why somebody was told of a check at a moment, or nobody was',
    status: 200,
    query: z.object({ at: Instant.optional().describe('The moment, an ISO 8601 time. Default: now.') }),
    reply: Explanation,
    load: (context, { id }: { id: string }) => requireCheck(context, id),
    run: (context, { loaded, query }) => explainCheck(context, loaded, query.at ?? context.ports.clock.now()),
  }),
  row({
    method: 'GET',
    path: '/v1/transitions/{id}/explain',
    access: 'read',
    summary: 'Why a change of state was announced, or was not',
    status: 200,
    reply: Explanation,
    load: (context, { id }: { id: string }) => requireTransition(context, id),
    run: (context, { loaded }) => explainOne(context, loaded),
  }),
];
