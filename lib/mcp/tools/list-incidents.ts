import * as z from 'zod';
import { transitionFeed } from '#lib/health/history/list-transitions.ts';
import { gather } from '#lib/platform/table/paging.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed, READS, TOOL_PAGE } from './tool.ts';

export const listIncidents = defineTool({
  name: 'list_incidents',
  description: 'Recent changes of state across all entities, newest first, each with its cause and error.',
  annotations: READS,
  access: 'read',
  input: z.strictObject({ hours: hours(24).describe('How far back, in hours') }),
  run: async (context, input) => {
    const since = context.ports.clock.now() - input.hours * HOUR_MS;
    const page = await gather(transitionFeed(context, since), TOOL_PAGE);
    return listed('transitions', page, 'Ask for fewer hours, or GET /v1/status/transitions.');
  },
});
