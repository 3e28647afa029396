import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { EntityPath, namesEntity } from '#lib/catalog/entity-path.ts';
import { LabelChanges, Labels } from '#lib/catalog/labels.ts';
import { aliasesFor } from '#lib/checks/assertions/aliases.ts';
import { SOURCE_NAMES } from '#lib/checks/assertions/sources.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { CHECK_SLUG, SLUG } from '#lib/checks/slug.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import type { Ports } from '#lib/env.ts';
import { invalid } from '#lib/platform/errors.ts';
import { IdOf, Unchanged } from '#lib/platform/http/route.ts';
import { propertyAliases } from '#lib/platform/http/unknown-members.ts';
import { parse, refusal } from '#lib/platform/http/validation.ts';
import { mergeMap, pick } from '#lib/platform/plain-data.ts';
import { Name, NameOrNone } from '#lib/platform/text.ts';

/** A day for what we execute, a leap year for what others report (docs/use/checks.md#settings). */
const MAX_INTERVAL_SECONDS = { pull: 86_400, push: 31_622_400 };
const MAX_CONFIG_BYTES = 8 * 1024;

const INTERVAL = {
  pull: 'Seconds from one probe to the next. An installation may have a minimum of its own.',
  push: 'Seconds from one result to the next, as your agent sends them. Default: 60; with a schedule the distance of its next two due times.',
};
const THRESHOLD = 'Failures in a row until the check is down; as many warnings or failures in a row make it degraded.';

const whole = (min: number, max: number) => z.int().min(min).max(max);

/** What `execution_mode` says. */
export const MODE = {
  pull: 'pull: the service probes the target. It follows from check_type.',
  push: 'push: your own agent posts results. It follows from check_type.',
};

const CHECK_NAME = 'What alerts call it; without one they name its target.';
const CheckName = Name.describe(CHECK_NAME);

const SLUG_RULE = 'must have 1 to 64 small letters, digits, "_" or "-" and begin with a letter or digit';
const LABELS = 'What it is tagged with, to find it by: `{"team": "payments"}`. Those of its entity count too.';
const SLUG_MEANS = 'Names it in the account, in paths such as /v1/checks/by-slug/{slug}; no other check has it.';

/** Settings that only a check has which the service probes. */
export const PULL_SETTINGS = {
  retry_interval_seconds: whole(0, MAX_INTERVAL_SECONDS.pull - 1).describe(
    'While it is undecided, as it has begun to fail or to recover, it is probed again every so many seconds until its ' +
      'next slot. Less than interval_seconds; 0: it waits for that slot.',
  ),
};

/** Settings that every check has. @param least the shortest interval, in seconds */
export const settingsOf = (mode: 'pull' | 'push', least = 1) => ({
  interval_seconds: whole(least, MAX_INTERVAL_SECONDS[mode]).describe(INTERVAL[mode]),
  timeout_ms: whole(10, 30_000).describe(
    'How long a probe may take in all, in milliseconds; never longer than its interval. A push check has no use for it.',
  ),
  failure_threshold: whole(1, 100).describe(
    mode === 'push' ? `${THRESHOLD} Default: 3; with a schedule 1.` : THRESHOLD,
  ),
  recovery_threshold: whole(1, 100).describe(
    'Successes in a row until a check that is down is so no more; as many without a warning until it is up.',
  ),
  enabled: z
    .boolean()
    .describe('A disabled check is not run, has the state unknown and does not count for its entity.'),
});

const inputOf = ({ type, mode, title, about, interval, fields, config, sources }: CheckType) => {
  propertyAliases.add(config, aliasesFor(sources));
  const settings = settingsOf(mode, interval.least);
  const { interval_seconds, timeout_ms, failure_threshold, recovery_threshold, enabled } = settings;
  const input = z
    .object({
      entity_id: IdOf('the entity that it is attached to').optional(),
      entity: EntityPath.describe(
        'In place of entity_id: the slugs of its blueprint and of itself, such as service/shop.',
      ).optional(),
      check_type: z.literal(type).describe('What kind of check it is; fixed.'),
      execution_mode: z
        .literal(mode, `is ${mode} for a ${type} check; leave it out`)
        .describe(MODE[mode])
        .default(mode),
      name: CheckName.optional(),
      slug: z.string().regex(CHECK_SLUG, SLUG_RULE).describe(SLUG_MEANS).optional(),
      labels: Labels.describe(`${LABELS} At most 20.`).optional(),
      ...fields.shape,
      // Of a push check they follow from its schedule.
      interval_seconds: mode === 'push' ? interval_seconds.optional() : interval_seconds.default(interval.default),
      ...(mode === 'pull' && { retry_interval_seconds: PULL_SETTINGS.retry_interval_seconds.default(0) }),
      timeout_ms: timeout_ms.default(5000),
      failure_threshold: mode === 'push' ? failure_threshold.optional() : failure_threshold.default(3),
      recovery_threshold: recovery_threshold.default(1),
      enabled: enabled.default(true),
      config: config
        .refine(fitsConfig, `must hold at most ${MAX_CONFIG_BYTES} bytes as JSON`)
        .describe('Settings of this type; what it does not know is refused. At most 8 KB as JSON.')
        .prefault({}),
    })
    .meta({ id: `NewCheck_${type}`, title, description: about });
  propertyAliases.add(input, aliasesFor(sources));
  return input;
};

const fitsConfig = (config: object): boolean => Buffer.byteLength(JSON.stringify(config)) <= MAX_CONFIG_BYTES;

const inputs = new Map([...checkTypes].map(([name, type]) => [name, inputOf(type)]));

/** People look for a ping: what says the same is told where the types are listed. */
function noSuchType({ input }: { input?: unknown }): string {
  const names = [...checkTypes.keys()].join(', ');
  const isMissing = (input as { check_type?: unknown } | undefined)?.check_type === undefined;
  return isMissing
    ? `is required: one of ${names}`
    : `must be one of ${names}; icmp is not among them: check an open port with tcp`;
}

/** A check as a create request states it, defaults filled in: one schema a type, told apart by check_type. */
export const CheckInput = namesEntity(
  z.discriminatedUnion('check_type', [...inputs.values()] as [ReturnType<typeof inputOf>], { error: noSuchType }),
).meta({ id: 'NewCheck' });

/** Settings of a check as a request states them: its entity by id, by path (`service/shop`), or by both. */
type CheckRequest = Omit<CheckSettings, 'entity_id'> & { entity_id?: string; entity?: string };

/** What settings are judged by: the operator's floor (s), and the time (epoch ms) for what follows from a schedule. */
type Judging = { minInterval: number; now: number };

export const validationContext = ({ settings, clock }: Pick<Ports, 'settings' | 'clock'>): Judging => ({
  minInterval: settings.MIN_INTERVAL_SECONDS,
  now: clock.now(),
});

/**
 * Throws VALIDATION_ERROR.
 * @param stored the check as it is, where there is one: what it has below the floor it keeps
 */
export const parseCheck = (input: object, judging: Judging, stored?: CheckItem): CheckRequest =>
  withDerivedSettings(input, input, judging, stored);

/**
 * Whole settings, with what follows from their config in place of what a request has not supplied.
 * @param before the config that a change replaces; without one, what is not supplied has its default
 */
function withDerivedSettings(
  whole: object,
  supplied: object,
  { minInterval, now }: Judging,
  stored?: CheckItem,
  before?: CheckItem['config'],
): CheckRequest {
  const { labels = {}, ...parsed } = parse(CheckInput, whole) as CheckRequest;
  const derived = checkTypeOf(parsed.check_type).derived(parsed.config, now, before);
  const missing = Object.entries(derived).filter(([name]) => supplied[name as never] === undefined);
  const labelled = Object.keys(labels).length > 0 ? { ...parsed, labels } : parsed;
  const check: CheckRequest = { ...labelled, ...Object.fromEntries(missing) };
  const { interval_seconds, retry_interval_seconds = 0 } = check;
  const floorOf = (had: number | undefined) => Math.min(minInterval, had || minInterval);
  const interval = floorOf(stored?.interval_seconds);
  if (interval_seconds < interval) {
    throw invalid('interval_seconds', `must be at least ${interval} on this installation`);
  }
  const contradictions = checkTypeOf(check.check_type).contradictions(check);
  if (contradictions.length > 0) throw refusal(contradictions);
  if (retry_interval_seconds === 0) return check;
  if (retry_interval_seconds >= interval_seconds) {
    throw invalid('retry_interval_seconds', `must be less than interval_seconds (${interval_seconds})`);
  }
  const retry = floorOf(stored?.retry_interval_seconds);
  if (retry_interval_seconds < retry) {
    throw invalid('retry_interval_seconds', `must be at least ${retry} on this installation, or 0`);
  }
  return check;
}

/** Settings of a check that is not made: without its entity. */
export function parseTrial(input: Record<string, unknown>, judging: Judging): CheckSettings {
  for (const member of ['entity_id', 'entity'])
    if (input[member] !== undefined) throw invalid(member, 'has no part in a trial; leave it out');
  const entity_id = 'none';
  return { ...parseCheck({ ...input, entity_id }, judging), entity_id };
}

/** What identifies a check: a record that was read may be sent back whole, but these cannot change. */
const FIXED = ['id', 'entity_id', 'check_type', 'execution_mode'] as const;

/**
 * A stored check with a partial update laid over it; config and labels merge per key, and a null removes one. `entity`
 * is for who knows the entity to judge.
 */
export function mergeCheck(check: CheckItem, patch: Record<string, unknown>, judging: Judging): CheckSettings {
  for (const member of FIXED) {
    if (patch[member] !== undefined && patch[member] !== check[member]) throw invalid(member, 'cannot be changed');
  }
  const { id: _same, entity: _judged, ...changes } = patch;
  const config = patch.config === undefined ? check.config : mergeMap(check.config, patch.config);
  const labels = patch.labels === undefined ? (check.labels ?? {}) : mergeMap(check.labels ?? {}, patch.labels);
  const { name, slug, ...merged } = { ...pick(inputs.get(check.check_type)!, check), ...changes, config, labels };
  // An empty one takes it away.
  const whole = { ...merged, ...(name && { name }), ...(slug && { slug }) };
  return { ...withDerivedSettings(whole, patch, judging, check, check.config), entity_id: check.entity_id };
}

/** The members in which settings differ from those of a check, also those that it has and they have not. */
export const changedIn = (check: CheckItem, input: CheckSettings): (keyof CheckSettings)[] =>
  (Object.keys(inputs.get(check.check_type)!.shape) as (keyof CheckSettings)[]).filter(
    (name) => !isDeepStrictEqual(input[name], check[name]),
  );

/** What a check is called and found by: a change of these alone is none of how it is run. */
const NAMES: ReadonlySet<keyof CheckSettings> = new Set(['name', 'slug', 'labels']);

export const isOfNamesAlone = (changed: readonly (keyof CheckSettings)[]): boolean =>
  changed.every((name) => NAMES.has(name));

const withoutDefault = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault ? withoutDefault(schema.unwrap() as z.ZodType) : schema;

const fieldsOfTypes = [...checkTypes.values()].flatMap(({ fields }) => Object.entries<z.ZodType>(fields.shape));

/** A partial update: any members of a check; the merged whole is validated by its type's schema. */
export const CheckPatch = z
  .object({
    ...Object.fromEntries([...FIXED, 'entity'].map((member) => [member, Unchanged])),
    name: NameOrNone.describe(`${CHECK_NAME} Empty: it has none any more.`),
    slug: z
      .string()
      .regex(new RegExp(`^(${SLUG})?$`), `${SLUG_RULE}; empty: it has none`)
      .describe(`${SLUG_MEANS} Empty: it has none any more.`),
    labels: LabelChanges,
    ...Object.fromEntries(fieldsOfTypes.map(([name, schema]) => [name, withoutDefault(schema)])),
    ...settingsOf('push'),
    ...PULL_SETTINGS,
    config: z.record(z.string(), z.unknown()).describe('Merges per key; null removes a key.'),
  })
  .partial()
  .meta({ id: 'CheckPatch' });
propertyAliases.add(CheckPatch, aliasesFor(SOURCE_NAMES));
