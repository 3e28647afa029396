import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { IdOf, Unchanged } from '#lib/platform/http/members.ts';
import { parse, refusal } from '#lib/platform/http/validation.ts';
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
  push: 'Seconds from one result to the next, as your agent sends them.',
};

const whole = (min: number, max: number) => z.int().min(min).max(max);

/** What `execution_mode` says. */
export const MODE = {
  pull: 'pull: the service probes the target. It follows from check_type.',
  push: 'push: your own agent posts results. It follows from check_type.',
};

const CheckName = Name.describe('What alerts call it; without one they name its target.');

/** Settings that every check has. @param least the shortest interval, in seconds */
export const settingsOf = (mode: 'pull' | 'push', least = 1) => ({
  interval_seconds: whole(least, MAX_INTERVAL_SECONDS[mode]).describe(INTERVAL[mode]),
  timeout_ms: whole(10, 30_000).describe(
    'How long a probe may take in all, in milliseconds; never longer than its interval. A push check has no use for it.',
  ),
  failure_threshold: whole(1, 100).describe('Failures in a row until the check is down; one success makes it up.'),
  enabled: z
    .boolean()
    .describe('A disabled check is not run, has the state unknown and does not count for its entity.'),
});

const inputOf = ({ type, mode, title, about, interval, fields, config }: CheckType) => {
  const { interval_seconds, timeout_ms, failure_threshold, enabled } = settingsOf(mode, interval.least);
  return z
    .object({
      entity_id: IdOf('the entity that it is attached to'),
      check_type: z.literal(type).describe('What kind of check it is; fixed.'),
      execution_mode: z
        .literal(mode, `is ${mode} for a ${type} check; leave it out`)
        .describe(MODE[mode])
        .default(mode),
      name: CheckName.optional(),
      ...fields.shape,
      interval_seconds: interval_seconds.default(interval.default),
      timeout_ms: timeout_ms.default(5000),
      failure_threshold: failure_threshold.default(3),
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

/** People look for a ping: what says the same is told where the types are listed. */
function noSuchType({ input }: { input?: unknown }): string {
  const names = [...checkTypes.keys()].join(', ');
  const isMissing = (input as { check_type?: unknown } | undefined)?.check_type === undefined;
  return isMissing
    ? `is required: one of ${names}`
    : `must be one of ${names}; icmp is not among them: check an open port with tcp`;
}

/** A check as a create request states it, defaults filled in: one schema a type, told apart by check_type. */
export const CheckInput = z
  .discriminatedUnion('check_type', [...inputs.values()] as [ReturnType<typeof inputOf>], { error: noSuchType })
  .meta({ id: 'NewCheck' });

/** Throws VALIDATION_ERROR. @param minInterval the operator's floor in seconds */
export function parseCheck(input: object, minInterval: number): CheckSettings {
  const check = parse(CheckInput, input) as CheckSettings;
  if (check.interval_seconds < minInterval) {
    throw invalid('interval_seconds', `must be at least ${minInterval} on this installation`);
  }
  const contradictions = checkTypeOf(check.check_type).contradictions(check);
  if (contradictions.length > 0) throw refusal(contradictions);
  return check;
}

/**
 * Settings of a check that is not made: without its entity.
 * @param minInterval the operator's floor in seconds
 */
export function parseTrial(input: Record<string, unknown>, minInterval: number): CheckSettings {
  if (input.entity_id !== undefined) throw invalid('entity_id', 'has no part in a trial; leave it out');
  return parseCheck({ ...input, entity_id: 'none' }, minInterval);
}

/** What identifies a check: a record that was read may be sent back whole, but these cannot change. */
const FIXED = ['id', 'entity_id', 'check_type', 'execution_mode'] as const;

/** A stored check with a partial update laid over it; config merges per key, and a null removes one. */
export function mergeCheck(check: CheckItem, patch: Record<string, unknown>, minInterval: number): CheckSettings {
  for (const member of FIXED) {
    if (patch[member] !== undefined && patch[member] !== check[member]) throw invalid(member, 'cannot be changed');
  }
  const { id: _same, ...changes } = patch;
  const config = patch.config === undefined ? check.config : mergeMap(check.config, patch.config);
  return parseCheck(
    { ...pick(inputs.get(check.check_type)!, check), ...changes, config },
    Math.min(minInterval, check.interval_seconds),
  );
}

/** The members in which settings differ from those of a check. */
export const changedIn = (check: CheckItem, input: CheckSettings): string[] =>
  Object.keys(input).filter((name) => !isDeepStrictEqual(input[name as never], check[name as never]));

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
    ...Object.fromEntries(fieldsOfTypes.map(([name, schema]) => [name, withoutDefault(schema)])),
    ...settingsOf('push'),
    config: z.record(z.string(), z.unknown()).describe('Merges per key; null removes a key.'),
  })
  .partial()
  .meta({ id: 'CheckPatch' });
