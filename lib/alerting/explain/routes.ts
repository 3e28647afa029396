import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { route } from '#lib/platform/http/route.ts';
import { Instant } from '#lib/platform/instant.ts';
import { explainCheck, explainOne, requireTransition } from './explain.ts';
import { Explanation } from './explanation.ts';

const row = route<Context>();

export const explainRows = [
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
