import type { output } from 'zod';
import type { Context } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { hasLabels, type LabelFilter } from '#lib/catalog/labels.ts';
import { CheckState, EntityState } from '#lib/catalog/states.ts';
import { allBlueprints, entityPage, requireEntities } from '#lib/catalog/store.ts';
import { selects } from '#lib/checks/selector.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { isOverdue, newestResults, staleChecks } from '#lib/history/status/newest-results.ts';
import { countUnresolvedIncidents } from '#lib/incidents/list-incidents.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { mapYielding } from '#lib/platform/yielding.ts';
import { rangesOf } from '#lib/schedule/calendar/window-ranges.ts';
import { checkFamilies, countsByState } from './check-metrics.ts';
import { metricsText, sampleText } from './text-format.ts';

/** Query of a scrape. Its checks match all of blueprint, label and entity_id. `labels`: label keys to show. */
type MetricsQuery = {
  blueprint?: readonly string[] | undefined;
  label?: output<typeof LabelFilter> | undefined;
  entity_id?: string | undefined;
  labels?: readonly string[] | undefined;
};

/** Maximum number of checks in a scrape, which bounds its time. */
export const MAX_CHECKS = 4_000;

/** Maximum size of an uncompressed scrape: a Lambda function returns at most 6 MB of JSON, which contains the text. */
const MAX_BYTES = 6_000_000;

const ENTITIES_AT_ONCE = 500;

const SPLIT =
  'split it into several scrape jobs, each with different values of blueprint or label, such as ?blueprint=service and ' +
  '?blueprint=database';
const TOO_MANY = `the selection has more than ${MAX_CHECKS} checks: ${SPLIT}`;
const TOO_LARGE = `the metrics have more than 6 MB: send the header Accept-Encoding: gzip, or ${SPLIT}`;

/**
 * Reads the metrics of the selected checks in the Prometheus text format. An uncompressed text has at most MAX_BYTES.
 * @throws AppError VALIDATION_ERROR for too many checks or bytes; NOT_FOUND for an unknown blueprint or entity
 */
export async function readMetrics(context: Context, query: MetricsQuery, is_compressed: boolean): Promise<string> {
  const { labels = [] } = query;
  const now = context.ports.clock.now();
  const [isStale, { windows }] = await Promise.all([staleChecks(context), readAlerting(context, context.tenant)]);
  const runningWindows = windows.filter(({ times }) => {
    const [next] = rangesOf(times, now);
    return next !== undefined && next.from <= now;
  });
  const { add, families } = checkFamilies(labels);
  const entities = new Map(EntityState.options.map((state) => [state, 0]));
  const checks = new Map(CheckState.options.map((state) => [state, 0]));
  let count = 0;
  for await (const page of selectedEntities(context, query)) {
    // Rejects a selection that is too large before its checks are read.
    const candidates = page.reduce((sum, entity) => sum + Object.keys(entity.checks).length, 0);
    if (query.label === undefined && count + candidates > MAX_CHECKS) throw invalid('blueprint', TOO_MANY);
    const found = await selectedChecks(context, page, query);
    count += found.length;
    if (count > MAX_CHECKS) throw invalid('blueprint', TOO_MANY);
    const selected = found.map(({ check }) => check);
    const newest = await newestResults(context, selected);
    await mapYielding(found, ({ check, entity }, i) => {
      const last = newest[i];
      const isPull = check.execution_mode === 'pull';
      add({
        check,
        entity,
        last,
        is_stale: isStale(check.id) || (isPull && isOverdue(context, check, last)),
        is_in_maintenance: runningWindows.some(({ scope }) => selects(scope, { check, entity })),
      });
      checks.set(check.state, checks.get(check.state)! + 1);
    });
    const withChecks = new Set(found.map(({ entity }) => entity.id));
    for (const { id, state, labels: ownLabels } of page) {
      const isSelected = query.label === undefined || withChecks.has(id) || hasLabels(ownLabels, query.label);
      if (isSelected) entities.set(state, entities.get(state)! + 1);
    }
  }
  const unresolved = await countUnresolvedIncidents(context);
  const text = metricsText([
    ...families,
    countsByState('fleetwatch_entities', 'Number of selected entities per state.', entities),
    countsByState('fleetwatch_checks', 'Number of selected checks per state.', checks),
    {
      name: 'fleetwatch_incidents_open',
      help: 'Number of unresolved incidents of the account, regardless of the selection.',
      samples: [sampleText('fleetwatch_incidents_open', '', unresolved)],
    },
  ]);
  if (!is_compressed && Buffer.byteLength(JSON.stringify(text)) > MAX_BYTES) throw invalid('blueprint', TOO_LARGE);
  return text;
}

async function* selectedEntities(
  context: Context,
  { blueprint, entity_id }: MetricsQuery,
): AsyncGenerator<EntityItem[], void> {
  if (blueprint) {
    const known = await allBlueprints(context);
    for (const slug of blueprint) if (!known.has(slug)) throw notFound(`Blueprint ${slug}`);
  }
  const fits = ({ blueprint_slug }: EntityItem) => blueprint === undefined || blueprint.includes(blueprint_slug);
  if (entity_id !== undefined) {
    yield (await requireEntities(context, [entity_id])).filter(fits);
    return;
  }
  let after: string | undefined;
  do {
    const page = await entityPage(context, { after }, ENTITIES_AT_ONCE);
    yield page.items.filter(fits);
    after = page.next;
  } while (after !== undefined);
}

async function selectedChecks(context: Context, entities: readonly EntityItem[], { label }: MetricsQuery) {
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const found = (await checksOf(context, entities)).map((check) => ({ check, entity: byId.get(check.entity_id)! }));
  if (label === undefined) return found;
  return found.filter(({ check, entity }) => hasLabels({ ...entity.labels, ...check.labels }, label));
}
