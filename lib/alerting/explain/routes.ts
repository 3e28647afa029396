import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { TransitionRecord } from '#lib/alerting/decide/transition.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { explainCheck, explainStateChange, requireTransition } from './explain.ts';
import { Explanation } from './explanation.ts';
import { assertTransitionRange, checkTransitions, scopeOf, TransitionRange, transitionFeed } from './transitions.ts';

const endpoint = route<Context>();

export const transitionRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/status/transitions',
    access: 'read',
    summary: 'List state changes of all entities or of one',
    description: 'Newest first; with `after`, oldest first.',
    status: 200,
    query: TransitionRange.extend({
      entity_id: z.string().optional().describe('Only state changes of this entity.'),
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
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/transitions',
    access: 'read',
    summary: 'List state changes of a check',
    description: 'Newest first; with `after`, oldest first.',
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
  endpoint({
    method: 'GET',
    path: '/v1/checks/{id}/explain',
    access: 'read',
    summary: 'Explain why an alert was or was not sent',
    status: 200,
    query: z.object({ at: Instant.optional().describe('Time to explain, in ISO 8601. Default: now.') }),
    reply: Explanation,
    load: (context, { id }: { id: string }) => requireCheck(context, id),
    run: (context, { loaded, query }) => explainCheck(context, loaded, query.at ?? context.ports.clock.now()),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/transitions/{id}/explain',
    access: 'read',
    summary: 'Explain the alert decision of a state change',
    status: 200,
    reply: Explanation,
    load: (context, { id }: { id: string }) => requireTransition(context, id),
    run: (context, { loaded }) => explainStateChange(context, loaded),
  }),
];
