import * as z from 'zod';
import { redactPaths, redactUrlsAt, seesSecrets } from '#lib/access/redaction.ts';
import type { Audited } from '#lib/audit/write.ts';
import { CheckState } from '#lib/catalog/states.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/pick.ts';
import type { CheckItem } from './check-item.ts';
import type { CheckType } from './check-type.ts';
import { checkLabel } from './label.ts';
import { MODE, settingsOf } from './model.ts';
import { checkTypeOf, checkTypes } from './registry.ts';

const recordOf = ({ type, mode, interval, fields, config }: CheckType) =>
  z.object({
    id: IdOf('the check'),
    entity_id: IdOf('the entity that it is attached to'),
    name: z.string().nullable().describe('What alerts call it; null: they name its target.'),
    check_type: z.literal(type).describe('What kind of check it is.'),
    execution_mode: z.literal(mode).describe(MODE[mode]),
    ...fields.shape,
    ...settingsOf(mode, interval.least),
    config: config.describe('Settings of this type.'),
    state: CheckState.describe('unknown until it has succeeded once, or failed failure_threshold times in a row.'),
    state_since: z.iso.datetime().describe('Since when it is in this state.'),
    consecutive_failures: z.int().describe('Failures in a row so far; counted up to failure_threshold.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  });

const records = new Map([...checkTypes].map(([name, type]) => [name, recordOf(type)]));

export type CheckRecord = z.output<ReturnType<typeof recordOf>>;

/**
 * The check on the wire, one schema a type.
 * @param id its name in the API description
 * @param more members that an endpoint shows of a check of a type beside its record
 */
export function checkSchema<More extends z.ZodObject>(
  id: string,
  more: (type: CheckType) => More,
): z.ZodType<CheckRecord & z.output<More>> {
  const schemas = [...checkTypes].map(([name, type]) =>
    records
      .get(name)!
      .extend(more(type).shape)
      .meta({ id: `${id}_${name}`, title: type.title }),
  );
  return z.discriminatedUnion('check_type', schemas as unknown as [z.ZodObject]).meta({ id }) as never;
}

/** What creating and changing a check answers. */
export const CheckRecord = checkSchema<z.ZodObject>('Check', () => z.object());

/** The check as it is shown; who may only read sees its secrets as ********. */
export function checkRecord(check: CheckItem, caller: Rights): CheckRecord {
  const record = pick(records.get(check.check_type)!, { ...check, name: check.name ?? null });
  return seesSecrets(caller) ? record : withoutSecrets(record, check);
}

function withoutSecrets<Shown extends object>(record: Shown, check: CheckItem): Shown {
  const { secrets, urls } = checkTypeOf(check.check_type);
  return redactUrlsAt(redactPaths(record, secrets), urls);
}

/** What the service itself sets. */
const STATE = ['id', 'state', 'state_since', 'consecutive_failures', 'created_at', 'updated_at'] as const;

const settingsOfCheck = (check: CheckItem): object => {
  const record = pick(records.get(check.check_type)!, { ...check, name: check.name ?? null });
  return Object.fromEntries(Object.entries(record).filter(([name]) => !STATE.includes(name as never)));
};

export const auditedCheck: Audited<CheckItem> = {
  type: 'check',
  target: (check) => ({ id: check.id, name: checkLabel(check), within: [check.entity_id] }),
  members: settingsOfCheck,
  shown: (check) => withoutSecrets(settingsOfCheck(check), check),
};
