import * as z from 'zod';
import { readLog } from '#lib/audit/read-log.ts';
import { entryRecord } from '#lib/audit/summary.ts';
import { HOUR_MS } from '#lib/platform/time.ts';
import { defineTool, hours, listed } from './tool.ts';

/** A model reads them all. */
const MAX_CHANGES = 200;

export const listChanges = defineTool({
  description:
    'Who changed what in the configuration, newest first: what was changed before something broke. Each with what it was before and after.',
  input: z.strictObject({
    hours: hours(24).describe('How far back, in hours'),
    target: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('Only changes of this, by id or slug: an entity with its checks, a check with its policy and channels'),
  }),
  run: async (context, { hours, target }) => {
    const since = context.ports.clock.now() - hours * HOUR_MS;
    const wanted = { since, kind: 'config' as const, ...(target !== undefined && { target }) };
    const { values, next } = await readLog(context, wanted, { order: 'desc', limit: MAX_CHANGES });
    const page = { values: values.map((item) => entryRecord(item, false)), ...(next !== undefined && { next }) };
    return listed('changes', page, 'Ask for fewer hours or one target, or GET /v1/audit.');
  },
});
