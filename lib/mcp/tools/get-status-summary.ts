import * as z from 'zod';
import { readStatus } from '#lib/history/status/status.ts';
import { defineTool, TOOL_PAGE } from './tool.ts';

export const getStatusSummary = defineTool({
  description:
    'Current state (up, degraded, down, unknown) of all entities, each with the error of its worst check, and counts.',
  input: z.strictObject({}),
  run: async (context) => {
    const { status, next } = await readStatus(context, TOOL_PAGE);
    const { length } = status.entities;
    return next === undefined
      ? status
      : { ...status, truncated: `The counts are exact; only the first ${length} entities are shown.` };
  },
});
