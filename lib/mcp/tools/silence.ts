import * as z from 'zod';
import { addSilence, noticeOf, silenceView } from '#lib/alerting/configure/silences.ts';
import { CheckSelector } from '#lib/alerting/policy/selector.ts';
import { SilenceReason } from '#lib/catalog/silence-settings.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { defineTool } from './tool.ts';

/** 30 days, the longest that a silence lasts. */
const MAX_MINUTES = 43_200;

const some = (what: string) => z.array(z.string()).optional().describe(what);

export const silence = defineTool({
  description:
    'Hold back the alerts of some checks for a while, such as before work on them. What has changed is told at its end. Say which checks by at least one of check_ids, entity_ids, blueprints and labels: those that fit all that is given. Answers the silence, and a notice where no check fits.',
  input: z.strictObject({
    check_ids: some('These checks, by id'),
    entity_ids: some('Checks of these entities, by id'),
    blueprints: some('Checks of the entities of these blueprints, by slug'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Checks with all of these labels, their own or of their entity: {"team": "payments"}'),
    minutes: z.int().min(1).max(MAX_MINUTES).default(60).describe('For how long'),
    reason: SilenceReason.default('').describe('Why, for people'),
  }),
  run: async (context, { minutes, reason, ...selector }) => {
    const applies_to = parse(CheckSelector, selector);
    const until = context.ports.clock.now() + minutes * 60_000;
    const made = await addSilence(context, { applies_to, until, reason });
    return { ...silenceView(made), notice: await noticeOf(context, applies_to) };
  },
});
