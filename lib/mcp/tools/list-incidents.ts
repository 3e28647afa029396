import * as z from 'zod';
import { requireEntityById } from '#lib/catalog/store.ts';
import { transitionFeed } from '#lib/health/history/list-transitions.ts';
import { gather } from '#lib/platform/table/paging.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed, TOOL_PAGE } from './tool.ts';

export const listIncidents = defineTool({
  description:
    'Recent changes of state across all entities, or of one alone, newest first, each with its cause and error.',
  input: z.strictObject({
    hours: hours(24).describe('How far back, in hours'),
    entity_id: z.string().optional().describe('Only changes of this entity, by its id as in list_entities'),
  }),
  run: async (context, { hours, entity_id }) => {
    const since = context.ports.clock.now() - hours * HOUR_MS;
    const entity = entity_id === undefined ? undefined : await requireEntityById(context, entity_id);
    const page = await gather(transitionFeed(context, { since }, entity), TOOL_PAGE);
    return listed('transitions', page, 'Ask for fewer hours, or GET /v1/status/transitions.');
  },
});
