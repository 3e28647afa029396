import * as z from 'zod';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { pingList } from '#lib/results/pings/ping-item.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const listPings = defineTool({
  description:
    'Pings of a push check (a cron job or agent), newest first: starts, successes, failures and logs, with run id, exit status, duration and client address.',
  input: z.strictObject({
    check_id: z.string().describe('Id of the check, as in get_entity'),
    limit: z.int().min(1).max(TOOL_PAGE.limit).default(50).describe('Maximum number of pings'),
  }),
  run: async (context, { check_id, limit }) => {
    const check = await requireCheck(context, check_id);
    const page = await gather(pingList(context, check), { ...TOOL_PAGE, limit });
    return listed('pings', page, 'Request more by limit, or GET /v1/checks/{id}/pings.');
  },
});
