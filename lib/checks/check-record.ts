import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactPaths, redactUrl } from '#lib/access/redaction.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/members.ts';
import type { CheckItem } from './check-item.ts';
import type { CheckType } from './check-type.ts';
import { MODE, settingsOf } from './model.ts';
import { checkTypeOf, checkTypes } from './registry.ts';

export const CheckState = z.enum(['up', 'down', 'unknown']);

const shared = {
  state: CheckState.describe('unknown until it has succeeded once, or failed failure_threshold times in a row.'),
  state_since: z.iso.datetime().describe('Since when it is in this state.'),
  consecutive_failures: z.int().describe('Failures in a row so far; counted up to failure_threshold.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
};

const schemaOf = ({ type, mode, fields, config }: CheckType) =>
  z.object({
    id: IdOf('the check'),
    entity_id: IdOf('the entity that it is attached to'),
    name: z.string().nullable().describe('What alerts call it; null: they name its target.'),
    check_type: z.literal(type).describe('What kind of check it is.'),
    execution_mode: z.literal(mode).describe(MODE[mode]),
    ...fields.shape,
    ...settingsOf(mode),
    config: config.describe('Settings of this type.'),
    ...shared,
  });

/**
 * The check on the wire, one schema a type.
 * @param id its name in the API description
 * @param more members that an endpoint shows beside it
 */
export function checkSchema<More extends z.ZodObject>(id: string, more: More): z.ZodType<CheckRecord & z.output<More>> {
  const schemas = [...checkTypes.values()].map((type) =>
    schemaOf(type)
      .extend(more.shape)
      .meta({ id: `${id}_${type.type}`, title: type.title }),
  );
  // The cast: what the fields of a type are called is known to CheckItem, not to its schema.
  return z.discriminatedUnion('check_type', schemas as unknown as [z.ZodObject]).meta({ id }) as never;
}

export type CheckRecord = ReturnType<typeof checkRecord>;

/** What creating and changing a check answers. */
export const CheckRecord: z.ZodType<CheckRecord> = checkSchema('Check', z.object());

/** The check as it is shown; a read-only key sees its secrets as ********. */
export function checkRecord(check: CheckItem, caller: Pick<Context['caller'], 'is_read_only'>) {
  const { target_url, method, expected_status, body_contains } = check;
  const record = {
    id: check.id,
    entity_id: check.entity_id,
    name: check.name ?? null,
    check_type: check.check_type,
    execution_mode: check.execution_mode,
    ...(target_url !== undefined && { target_url, method, expected_status, body_contains }),
    interval_seconds: check.interval_seconds,
    timeout_ms: check.timeout_ms,
    failure_threshold: check.failure_threshold,
    enabled: check.enabled,
    config: check.config,
    state: check.state,
    state_since: check.state_since,
    consecutive_failures: check.consecutive_failures,
    created_at: check.created_at,
    updated_at: check.updated_at,
  };
  if (!caller.is_read_only) return record;
  const shown = redactPaths(record, checkTypeOf(check.check_type).secrets);
  return shown.target_url === undefined ? shown : { ...shown, target_url: redactUrl(shown.target_url) };
}
