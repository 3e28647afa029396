import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { IdOf, Unchanged } from '#lib/platform/http/members.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { pick } from '#lib/platform/pick.ts';
import { Name } from '#lib/platform/text.ts';
import type { CheckItem, CheckSettings } from './check-item.ts';
import type { CheckType } from './check-type.ts';
import { checkTypeOf, checkTypes } from './registry.ts';

/** A day for what we execute, a leap year for what others report (docs/CONTRACT.md#checks). */
const MAX_INTERVAL_SECONDS = { pull: 86_400, push: 31_622_400 };
const MAX_CONFIG_BYTES = 8 * 1024;

const INTERVAL = {
  pull: 'Seconds from one probe to the next. An installation may have a minimum of its own.',
  push: 'Seconds from one result to the next, as your agent sends them. Default: 60; with a schedule the distance of its next two due times.',
};
const THRESHOLD = 'Failures in a row until the check is down; one success makes it up.';

const whole = (min: number, max: number) => z.int().min(min).max(max);

/** What `execution_mode` says. */
export const MODE = {
  pull: 'pull: the service probes the target. It follows from check_type.',
  push: 'push: your own agent posts results. It follows from check_type.',
};

const CheckName = Name.describe('What alerts call it; without one they name its target.');

const CHECK_SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const SLUG_RULE = 'must have 1 to 64 small letters, digits, "_" or "-" and begin with a letter or digit';
const SLUG_MEANS = 'Names it in the account, in paths such as /v1/checks/by-slug/{slug}; no other check has it.';

/** Settings that every check has. */
export const settingsOf = (mode: 'pull' | 'push') => ({
  interval_seconds: whole(1, MAX_INTERVAL_SECONDS[mode]).describe(INTERVAL[mode]),
  timeout_ms: whole(10, 30_000).describe(
    'How long a probe may take in all, in milliseconds; never longer than its interval. A push check has no use for it.',
  ),
  failure_threshold: whole(1, 100).describe(
    mode === 'push' ? `${THRESHOLD} Default: 3; with a schedule 1.` : THRESHOLD,
  ),
  enabled: z
    .boolean()
    .describe('A disabled check is not run, has the state unknown and does not count for its entity.'),
});

const inputOf = ({ type, mode, title, about, fields, config }: CheckType) => {
  const { interval_seconds, timeout_ms, failure_threshold, enabled } = settingsOf(mode);
  return z
    .object({
      entity_id: IdOf('the entity that it is attached to'),
      check_type: z.literal(type).describe('What kind of check it is; fixed.'),
      execution_mode: z
        .literal(mode, `is ${mode} for a ${type} check; leave it out`)
        .describe(MODE[mode])
        .default(mode),
      name: CheckName.optional(),
      slug: z.string().regex(CHECK_SLUG, SLUG_RULE).describe(SLUG_MEANS).optional(),
      ...fields.shape,
      // Of a push check they follow from its schedule.
      interval_seconds: mode === 'push' ? interval_seconds.optional() : interval_seconds.default(60),
      timeout_ms: timeout_ms.default(5000),
      failure_threshold: mode === 'push' ? failure_threshold.optional() : failure_threshold.default(3),
      enabled: enabled.default(true),
      config: config
        .refine(fitsConfig, `must hold at most ${MAX_CONFIG_BYTES} bytes as JSON`)
        .describe('Settings of this type; what it does not know is refused. At most 8 KB as JSON.')
        .prefault({}),
    })
    .meta({ id: `NewCheck_${type}`, title, description: about });
};

const fitsConfig = (config: object): boolean => Buffer.byteLength(JSON.stringify(config)) <= MAX_CONFIG_BYTES;

const inputs = new Map([...checkTypes].map(([name, type]) => [name, inputOf(type)]));

/** A check as a create request states it, defaults filled in: one schema a type, told apart by check_type. */
export const CheckInput = z
  .discriminatedUnion('check_type', [...inputs.values()] as [ReturnType<typeof inputOf>])
  .meta({ id: 'NewCheck' });

/**
 * Throws VALIDATION_ERROR.
 * @param minInterval the operator's floor in seconds
 * @param now epoch ms, for what follows from a schedule
 */
export const parseCheck = (input: object, minInterval: number, now: number): CheckSettings =>
  settled(input, input, minInterval, now);

/** Whole settings, with what follows from their config in place of what a request has not supplied. */
function settled(whole: object, supplied: object, minInterval: number, now: number, before?: CheckItem): CheckSettings {
  const parsed = parse(CheckInput, whole) as CheckSettings;
  const derived = checkTypeOf(parsed.check_type).derived(parsed.config, now, before?.config);
  const missing = Object.entries(derived).filter(([name]) => supplied[name as never] === undefined);
  const check: CheckSettings = { ...parsed, ...Object.fromEntries(missing) };
  if (check.interval_seconds < minInterval) {
    throw invalid('interval_seconds', `must be at least ${minInterval} on this installation`);
  }
  return check;
}

/**
 * Settings of a check that is not made: without its entity.
 * @param minInterval the operator's floor in seconds
 */
export function parseTrial(input: Record<string, unknown>, minInterval: number, now: number): CheckSettings {
  if (input.entity_id !== undefined) throw invalid('entity_id', 'has no part in a trial; leave it out');
  return parseCheck({ ...input, entity_id: 'none' }, minInterval, now);
}

/** What identifies a check: a record that was read may be sent back whole, but these cannot change. */
const FIXED = ['id', 'entity_id', 'check_type', 'execution_mode'] as const;

/** A stored check with a partial update laid over it; config merges per key, and a null removes one. */
export function mergeCheck(
  check: CheckItem,
  patch: Record<string, unknown>,
  minInterval: number,
  now: number,
): CheckSettings {
  for (const member of FIXED) {
    if (patch[member] !== undefined && patch[member] !== check[member]) throw invalid(member, 'cannot be changed');
  }
  const { id: _same, ...changes } = patch;
  const config = patch.config === undefined ? check.config : mergeMap(check.config, patch.config);
  const { slug, ...merged } = { ...pick(inputs.get(check.check_type)!, check), ...changes, config };
  const whole = slug === undefined || slug === '' ? merged : { ...merged, slug };
  return settled(whole, patch, Math.min(minInterval, check.interval_seconds), now, check);
}

/** The members in which settings differ from those of a check, also those that it has and they have not. */
export const changedIn = (check: CheckItem, input: CheckSettings): (keyof CheckSettings)[] =>
  (Object.keys(inputs.get(check.check_type)!.shape) as (keyof CheckSettings)[]).filter(
    (name) => !isDeepStrictEqual(input[name], check[name]),
  );

/** What a check is called and found by: a change of these alone is none of how it is run. */
const NAMES: ReadonlySet<keyof CheckSettings> = new Set(['name', 'slug']);

export const isOfNamesAlone = (changed: readonly (keyof CheckSettings)[]): boolean =>
  changed.every((name) => NAMES.has(name));

/** Merges a map per key; null removes. What is no map is left for the schema to refuse. */
function mergeMap(stored: Record<string, unknown>, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  return Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null));
}

const withoutDefault = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault ? withoutDefault(schema.unwrap() as z.ZodType) : schema;

const fieldsOfTypes = [...checkTypes.values()].flatMap(({ fields }) => Object.entries<z.ZodType>(fields.shape));

/** A partial update: any members of a check; the merged whole is validated by its type's schema. */
export const CheckPatch = z
  .object({
    ...Object.fromEntries(FIXED.map((member) => [member, Unchanged])),
    name: CheckName,
    slug: z
      .string()
      .regex(/^([a-z0-9][a-z0-9_-]{0,63})?$/, `${SLUG_RULE}; empty: it has none`)
      .describe(`${SLUG_MEANS} Empty: it has none any more.`),
    ...Object.fromEntries(fieldsOfTypes.map(([name, schema]) => [name, withoutDefault(schema)])),
    ...settingsOf('push'),
    config: z.record(z.string(), z.unknown()).describe('Merges per key; null removes a key.'),
  })
  .partial()
  .meta({ id: 'CheckPatch' });
