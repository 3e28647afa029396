import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { EntityPath, withRequiredEntity } from '#lib/catalog/entity-path.ts';
import { LabelChanges, Labels } from '#lib/catalog/labels.ts';
import { SOURCE_NAMES } from '#lib/checks/assertions/sources.ts';
import { suggestionsFor } from '#lib/checks/assertions/suggestions.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { CHECK_SLUG, SLUG } from '#lib/checks/slug.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import type { Ports } from '#lib/env.ts';
import { invalid } from '#lib/platform/errors.ts';
import { closestName } from '#lib/platform/http/closest-name.ts';
import { IdOf, Unchanged } from '#lib/platform/http/route.ts';
import { propertySuggestions } from '#lib/platform/http/unknown-properties.ts';
import { choice, parse, refusal } from '#lib/platform/http/validation.ts';
import { memberOf, mergeMap, pick } from '#lib/platform/plain-data.ts';
import { Name, NameOrNone } from '#lib/platform/text.ts';

/** A day for probes, a leap year for pushes (docs/use/checks.md#settings). */
const MAX_INTERVAL_SECONDS = { pull: 86_400, push: 31_622_400 };
const MAX_CONFIG_BYTES = 8 * 1024;

const INTERVAL = {
  pull: 'Time between probes. An installation can set a minimum.',
  push: 'Expected time between heartbeats. Default: a minute; with a schedule, the time between its next two due times.',
};
const THRESHOLD = 'Number of consecutive failures that make the check down; if some or all are warnings, degraded.';

/** Folded groups of the form (docs/develop/console.md#add-a-form-field). */
const TIMING = { 'x-group': 'Timing' };
const DETAILS = { 'x-group': 'Details' };

const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

export const MODE = {
  pull: 'pull: the service probes the target. Determined by check_type.',
  push: 'push: a job or program sends results. Determined by check_type.',
};

const CHECK_NAME = 'Name in alerts. Default: the target.';
const CheckName = Name.describe(CHECK_NAME);

const SLUG_RULE = 'must have 1 to 64 lowercase letters, digits, "_" or "-" and begin with a letter or digit';
const LABELS = 'Labels to filter by: `{"team": "payments"}`. Filters also match labels of the entity.';
const SLUG_MEANING = 'Slug, unique in the account, for paths such as /v1/checks/by-slug/{slug}.';

/** Settings of probed checks only. */
export const PULL_SETTINGS = {
  retry_interval_seconds: wholeNumber(0, MAX_INTERVAL_SECONDS.pull - 1)
    .describe('Time between retries while a state change is unconfirmed, less than the interval. 0: no retries.')
    .meta(TIMING),
};

/** Settings of all checks. @param minInterval minimum interval in seconds */
export const settingsOf = (mode: 'pull' | 'push', minInterval = 1) => ({
  interval_seconds: wholeNumber(minInterval, MAX_INTERVAL_SECONDS[mode]).describe(INTERVAL[mode]),
  timeout_ms: wholeNumber(10, 30_000)
    .describe('Timeout of a probe, limited by the interval. Not used by push checks.')
    .meta(TIMING),
  failure_threshold: wholeNumber(1, 100).describe(
    mode === 'push' ? `${THRESHOLD} Default: 3; with a schedule: 1.` : THRESHOLD,
  ),
  recovery_threshold: wholeNumber(1, 100)
    .describe('Number of consecutive successes that make a down check up; if some or all have warnings, degraded.')
    .meta(TIMING),
  enabled: z
    .boolean()
    .describe('Whether the check is active. A disabled check is unknown and does not count for its entity.')
    .meta(DETAILS),
});

const inputOf = ({ type, mode, title, about, interval, fields, config, sources }: CheckType) => {
  propertySuggestions.add(config, suggestionsFor(sources));
  const settings = settingsOf(mode, interval.minimum);
  const { interval_seconds, timeout_ms, failure_threshold, recovery_threshold, enabled } = settings;
  const input = z
    .object({
      entity_id: IdOf('the entity of the check').optional(),
      entity: EntityPath.describe('Path of the entity, as an alternative to entity_id: service/shop.').optional(),
      check_type: z.literal(type).describe('Type of the check; cannot be changed.'),
      execution_mode: z.literal(mode, `is ${mode} for a ${type} check; omit it`).describe(MODE[mode]).default(mode),
      ...fields.shape,
      config: config
        .refine(fitsConfig, `must have at most ${MAX_CONFIG_BYTES} bytes as JSON`)
        .describe('Settings of the type, at most 8 KB as JSON. Unknown properties are rejected.')
        .prefault({}),
      name: CheckName.optional(),
      interval_seconds: mode === 'push' ? interval_seconds.optional() : interval_seconds.default(interval.default),
      ...(mode === 'pull' && { retry_interval_seconds: PULL_SETTINGS.retry_interval_seconds.default(0) }),
      failure_threshold: mode === 'push' ? failure_threshold.optional() : failure_threshold.default(3),
      timeout_ms: timeout_ms.default(5000),
      recovery_threshold: recovery_threshold.default(1),
      slug: z.string().regex(CHECK_SLUG, SLUG_RULE).describe(SLUG_MEANING).meta(DETAILS).optional(),
      labels: Labels.describe(`${LABELS} At most 20.`).meta(DETAILS).optional(),
      enabled: enabled.default(true),
    })
    .meta({ id: `NewCheck_${type}`, title, description: about });
  propertySuggestions.add(input, suggestionsFor(sources));
  return input;
};

const fitsConfig = (config: object): boolean => Buffer.byteLength(JSON.stringify(config)) <= MAX_CONFIG_BYTES;

const inputs = new Map([...checkTypes].map(([name, type]) => [name, inputOf(type)]));

/** Returns the error for an unknown type; suggests tcp if no name is similar, because users look for a ping check. */
function unknownTypeMessage({ input }: { input?: unknown }): string {
  const names = [...checkTypes.keys()];
  const type = memberOf(input, 'check_type');
  const message = choice(names, type);
  const isUnlike = type !== undefined && closestName(String(type), names) === undefined;
  return isUnlike ? `${message}; icmp is not supported: check an open port with tcp` : message;
}

/** A check as in a create request, with defaults: one schema per type, discriminated by check_type. */
export const CheckInput = withRequiredEntity(
  z.discriminatedUnion('check_type', [...inputs.values()] as [ReturnType<typeof inputOf>], {
    error: unknownTypeMessage,
  }),
).meta({ id: 'NewCheck' });

type CheckRequest = Omit<CheckSettings, 'entity_id'> & { entity_id?: string; entity?: string };

/** Minimum interval of the installation (s), and the time (epoch ms) for values derived from a schedule. */
type ValidationContext = { minInterval: number; now: number };

export const validationContext = ({ settings, clock }: Pick<Ports, 'settings' | 'clock'>): ValidationContext => ({
  minInterval: settings.MIN_INTERVAL_SECONDS,
  now: clock.now(),
});

/** Validates settings; an update of `stored` may keep intervals below the minimum. Throws VALIDATION_ERROR. */
export const parseCheck = (input: object, context: ValidationContext, stored?: CheckItem): CheckRequest =>
  withDerivedSettings(input, input, context, stored);

/**
 * Validates settings and derives those that the request, `supplied`, does not have. `before`: config before a partial
 * update; undefined if omitted settings get their defaults.
 */
function withDerivedSettings(
  input: object,
  supplied: object,
  { minInterval, now }: ValidationContext,
  stored?: CheckItem,
  before?: CheckItem['config'],
): CheckRequest {
  const { labels = {}, ...parsed } = parse(CheckInput, input) as CheckRequest;
  const derived = checkTypeOf(parsed.check_type).derived(parsed.config, now, before);
  const missing = Object.entries(derived).filter(([name]) => supplied[name as never] === undefined);
  const withLabels = Object.keys(labels).length > 0 ? { ...parsed, labels } : parsed;
  const check: CheckRequest = { ...withLabels, ...Object.fromEntries(missing) };
  const { interval_seconds, retry_interval_seconds = 0 } = check;
  const minimumOf = (stored: number | undefined) => Math.min(minInterval, stored || minInterval);
  const interval = minimumOf(stored?.interval_seconds);
  if (interval_seconds < interval) {
    throw invalid('interval_seconds', `must be at least ${interval} on this installation`);
  }
  const contradictions = checkTypeOf(check.check_type).contradictions(check);
  if (contradictions.length > 0) throw refusal(contradictions);
  if (retry_interval_seconds === 0) return check;
  if (retry_interval_seconds >= interval_seconds) {
    throw invalid('retry_interval_seconds', `must be less than interval_seconds (${interval_seconds})`);
  }
  const retry = minimumOf(stored?.retry_interval_seconds);
  if (retry_interval_seconds < retry) {
    throw invalid('retry_interval_seconds', `must be at least ${retry} on this installation, or 0`);
  }
  return check;
}

/** Validates settings without an entity: of a settings test, or of a monitor before its entity is known. */
export function parseWithoutEntity(input: Record<string, unknown>, context: ValidationContext): CheckSettings {
  for (const name of ['entity_id', 'entity'])
    if (input[name] !== undefined) throw invalid(name, 'is not accepted in a settings test; omit it');
  const entity_id = 'none';
  return { ...parseCheck({ ...input, entity_id }, context), entity_id };
}

/** Identifying properties: a returned record can be sent back whole, but these cannot change. */
const FIXED = ['id', 'entity_id', 'check_type', 'execution_mode'] as const;

/** Applies a partial update: config and labels merge per key, null removes a key. The caller validates `entity`. */
export function mergeCheck(
  check: CheckItem,
  patch: Record<string, unknown>,
  context: ValidationContext,
): CheckSettings {
  for (const name of FIXED) {
    if (patch[name] !== undefined && patch[name] !== check[name]) throw invalid(name, 'cannot be changed');
  }
  const { id: _sameId, entity: _checkedEntity, ...changes } = patch;
  const config = patch.config === undefined ? check.config : mergeMap(check.config, patch.config);
  const labels = patch.labels === undefined ? (check.labels ?? {}) : mergeMap(check.labels ?? {}, patch.labels);
  const { name, slug, ...merged } = { ...pick(inputs.get(check.check_type)!, check), ...changes, config, labels };
  const input = { ...merged, ...(name && { name }), ...(slug && { slug }) };
  return { ...withDerivedSettings(input, patch, context, check, check.config), entity_id: check.entity_id };
}

/** Returns the names of settings that differ from the stored check, including removed ones. */
export const changedIn = (check: CheckItem, input: CheckSettings): (keyof CheckSettings)[] =>
  (Object.keys(inputs.get(check.check_type)!.shape) as (keyof CheckSettings)[]).filter(
    (name) => !isDeepStrictEqual(input[name], check[name]),
  );

/** Settings that only name a check: a change of only these creates no revision. */
const NAMES: ReadonlySet<keyof CheckSettings> = new Set(['name', 'slug', 'labels']);

export const changesOnlyNames = (changed: readonly (keyof CheckSettings)[]): boolean =>
  changed.every((name) => NAMES.has(name));

const withoutDefault = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault ? withoutDefault(schema.unwrap() as z.ZodType) : schema;

const fieldsOfTypes = [...checkTypes.values()].flatMap(({ fields }) => Object.entries<z.ZodType>(fields.shape));

/** A partial update: any properties of a check. The merged check is validated by the schema of its type. */
export const CheckPatch = z
  .object({
    ...Object.fromEntries([...FIXED, 'entity'].map((name) => [name, Unchanged])),
    name: NameOrNone.describe(`${CHECK_NAME} An empty text removes it.`),
    slug: z
      .string()
      .regex(new RegExp(`^(${SLUG})?$`), `${SLUG_RULE}; an empty text removes it`)
      .describe(`${SLUG_MEANING} An empty text removes it.`),
    labels: LabelChanges,
    ...Object.fromEntries(fieldsOfTypes.map(([name, schema]) => [name, withoutDefault(schema)])),
    ...settingsOf('push'),
    ...PULL_SETTINGS,
    interval_seconds: settingsOf('push').interval_seconds.describe(
      'Time between probes, or expected time between heartbeats.',
    ),
    config: z.record(z.string(), z.unknown()).describe('Merged per key; null removes a key.'),
  })
  .partial()
  .meta({ id: 'CheckPatch' });
propertySuggestions.add(CheckPatch, suggestionsFor(SOURCE_NAMES));
