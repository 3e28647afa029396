import * as z from 'zod';
import { readLog } from '#lib/audit/read-log.ts';
import { entryRecord } from '#lib/audit/summary.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed } from './tool.ts';

/** Maximum number of changes, because a model reads all of them. */
const MAX_CHANGES = 200;

export const listChanges = defineTool({
  description:
    'Changes of the configuration, newest first, each with its author, time, and values before and after. Use it to find changes before a failure.',
  input: z.strictObject({
    hours: hours(24).describe('Number of hours to go back'),
    target: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('Only changes of this id or slug; an entity includes its checks, a check its policy and channels'),
  }),
  run: async (context, { hours, target }) => {
    const since = context.ports.clock.now() - hours * HOUR_MS;
    const wanted = { since, kind: 'config' as const, ...(target !== undefined && { target }) };
    const { values, next } = await readLog(context, wanted, { order: 'desc', limit: MAX_CHANGES });
    const page = { values: values.map((item) => entryRecord(item, false)), ...(next !== undefined && { next }) };
    return listed('changes', page, 'Request fewer hours or one target, or GET /v1/audit.');
  },
});
