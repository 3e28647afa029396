import * as z from 'zod';
import { allSlos } from '#lib/history/slos/change-slo.ts';
import { measureSlo } from '#lib/history/slos/measure-slo.ts';
import { sloRecord } from '#lib/history/slos/slo.ts';
import { defineTool, listed } from './tool.ts';

/** Maximum number of SLOs measured in a call, because each reads the history of its window. */
const MAX_MEASURED = 20;

export const listSlos = defineTool({
  description:
    'Service level objectives with their error budgets: target, remaining budget, burn rates, and state (healthy, at_risk, exhausted, no_data). Returns at most 20; filter to get others.',
  input: z.strictObject({
    check_id: z.string().optional().describe('Only SLOs of this check'),
    entity_id: z.string().optional().describe('Only SLOs of this entity'),
    slug: z.string().optional().describe('Only the SLO with this slug'),
  }),
  run: async (context, { check_id, entity_id, slug }) => {
    const found = (await allSlos(context)).filter(
      (slo) =>
        (check_id === undefined || slo.check_id === check_id) &&
        (entity_id === undefined || slo.entity_id === entity_id) &&
        (slug === undefined || slo.slug === slug),
    );
    const slos = [];
    for (const slo of found.slice(0, MAX_MEASURED))
      slos.push({ ...sloRecord(slo), ...(await measureSlo(context, slo)) });
    const next = found[MAX_MEASURED]?.id;
    return listed('slos', { values: slos, ...(next && { next }) }, 'Filter by check_id, entity_id or slug.');
  },
});
