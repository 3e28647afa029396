import * as z from 'zod';
import { executionRecord } from '#lib/actions/execution.ts';
import { logLines, requireExecution } from '#lib/actions/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const getExecution = defineTool({
  description:
    'A run of an action, such as a tool has started: what the target said, how its pipeline stands, and the log lines it reported.',
  input: z.strictObject({
    execution_id: z.string().describe('Id of the execution, which the tool that started it has answered'),
    after: z.int().min(0).max(1000).default(0).describe('Only log lines behind the one of this number'),
  }),
  run: async (context, { execution_id, after }) => {
    const { execution } = await requireExecution(context, execution_id);
    const page = await gather(logLines(context, execution, after), TOOL_PAGE);
    return { ...executionRecord(context, execution), ...listed('logs', page, 'Ask again for those after the last.') };
  },
});
