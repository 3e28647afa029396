import * as z from 'zod';
import { addSilence, noticeOf, silenceView } from '#lib/alerting/configure/silences.ts';
import { SilenceReason } from '#lib/catalog/silence-settings.ts';
import { CheckSelector } from '#lib/checks/selector.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

/** Maximum duration of a silence: 30 days. */
const MAX_MINUTES = 43_200;

const optionalList = (description: string) => z.array(z.string()).optional().describe(description);

export const silence = defineTool({
  description:
    'Silence the alerts of selected checks for a time, such as before work on them. When it ends, each check whose state differs from its last alert sends one alert. Select checks by at least one of check_ids, entity_ids, blueprints and labels; all given conditions must match. Returns the silence, and a notice if no check matches.',
  input: z.strictObject({
    check_ids: optionalList('Ids of checks'),
    entity_ids: optionalList('Ids of entities whose checks are selected'),
    blueprints: optionalList("Slugs of blueprints whose entities' checks are selected"),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels that the checks or their entities must all have: {"team": "payments"}'),
    minutes: z
      .int()
      .min(1)
      .max(MAX_MINUTES)
      .default(60)
      .describe('Duration in minutes; more than 1440 (a day) needs the member role and, if the key has scopes, write'),
    reason: SilenceReason.default('').describe('Human-readable reason'),
  }),
  run: async (context, { minutes, reason, ...selector }) => {
    const applies_to = parse(CheckSelector, selector);
    const until = context.ports.clock.now() + minutes * 60_000;
    const made = await addSilence(context, { applies_to, until, reason });
    return { ...silenceView(made), notice: await noticeOf(context, applies_to) };
  },
});
