import * as z from 'zod';
import { executionRecord } from '#lib/actions/execution.ts';
import { logLines, requireExecution } from '#lib/actions/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const getExecution = defineTool({
  description:
    'One execution of an action, such as one that a tool has started: the response of its target, its pipeline status, and its log lines.',
  input: z.strictObject({
    execution_id: z.string().describe('Id of the execution, returned by the tool that started it'),
    after: z.int().min(0).max(1000).default(0).describe('Only log lines after this line number'),
  }),
  run: async (context, { execution_id, after }) => {
    const { execution } = await requireExecution(context, execution_id);
    const page = await gather(logLines(context, execution, after), TOOL_PAGE);
    return {
      ...executionRecord(context, execution),
      ...listed('logs', page, 'Call again with after set to the last line.'),
    };
  },
});
