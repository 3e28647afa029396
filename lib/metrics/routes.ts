import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { LABEL_KEY, LABEL_KEY_RULE, LabelFilter } from '#lib/catalog/labels.ts';
import { takesGzip } from '#lib/platform/http/compress-response.ts';
import { Slugs } from '#lib/platform/http/query-params.ts';
import { IdOf, route } from '#lib/platform/http/route.ts';
import { readMetrics } from './read-metrics.ts';

const MAX_LABEL_KEYS = 10;

const LabelKeys = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .refine((keys) => keys.length <= MAX_LABEL_KEYS, `must name at most ${MAX_LABEL_KEYS} labels`)
  .refine((keys) => keys.every((key) => LABEL_KEY.test(key)), `each key ${LABEL_KEY_RULE}`);

export const metricsRoutes = [
  route<Context>()({
    method: 'GET',
    path: '/metrics',
    access: 'metrics',
    summary: 'Get states and results of checks for Prometheus',
    description: 'Prometheus text format 0.0.4, at most 4,000 checks, and 6 MB if the client does not accept gzip.',
    status: 200,
    text: 'metrics',
    query: z.object({
      blueprint: Slugs.describe('Only checks of entities of these blueprints, by slug: `service,database`.').optional(),
      label: LabelFilter.describe(
        'Only checks with this label, including labels of the entity: `team:payments`. Values separated by commas are alternatives; if the parameter is repeated, all must match.',
      ).optional(),
      entity_id: IdOf('the entity whose checks to return').optional(),
      labels: LabelKeys.describe(
        `Up to ${MAX_LABEL_KEYS} label keys, comma-separated, shown as label_<key> on fleetwatch_check_info, with "_" for "." and "-".`,
      ).optional(),
    }),
    reply: z.string().meta({ id: 'Metrics', description: 'Metrics of checks, entities and incidents.' }),
    errors: ['NOT_FOUND'],
    run: (context, { query, headers }) => readMetrics(context, query, takesGzip(headers['accept-encoding'])),
  }),
];
