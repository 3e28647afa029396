import * as z from 'zod';
import { redactPaths, redactUrl, seesSecrets } from '#lib/access/redaction.ts';
import type { Audited } from '#lib/audit/write.ts';
import { CheckState } from '#lib/catalog/states.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/members.ts';
import { pick } from '#lib/platform/pick.ts';
import { REDACTED } from '#lib/platform/secrets/redact-secrets.ts';
import type { Settings } from '#lib/platform/settings.ts';
import type { CheckItem } from './check-item.ts';
import type { CheckType } from './check-type.ts';
import { checkLabel } from './label.ts';
import { MODE, settingsOf } from './model.ts';
import { pingUrl } from './ping-url.ts';
import { checkTypeOf, checkTypes } from './registry.ts';

const PingUrl = z
  .string()
  .describe('Where its job reports by curl or a client of Healthchecks, without a key: whoever knows it can ping.');

const recordOf = ({ type, mode, fields, config }: CheckType) =>
  z.object({
    id: IdOf('the check'),
    entity_id: IdOf('the entity that it is attached to'),
    name: z.string().nullable().describe('What alerts call it; null: they name its target.'),
    slug: z.string().nullable().describe('Names it in the account; null: it has none.'),
    check_type: z.literal(type).describe('What kind of check it is.'),
    execution_mode: z.literal(mode).describe(MODE[mode]),
    ...fields.shape,
    ...settingsOf(mode),
    config: config.describe('Settings of this type.'),
    state: CheckState.describe('unknown until it has succeeded once, or failed failure_threshold times in a row.'),
    state_since: z.iso.datetime().describe('Since when it is in this state.'),
    consecutive_failures: z.int().describe('Failures in a row so far; counted up to failure_threshold.'),
    ...(mode === 'push' && { ping_url: PingUrl }),
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

/** All of the record, secrets included. */
const wholeRecord = (check: CheckItem): CheckRecord =>
  pick(records.get(check.check_type)!, { ...check, name: check.name ?? null, slug: check.slug ?? null });

/** To whom a check is shown, and where its ping URL leads. */
type Viewer = { caller: Rights; ports: { settings: Pick<Settings, 'PING_URL'> } };

/** The check as it is shown; who may only read sees its secrets as ********. */
export function checkRecord(check: CheckItem, { caller, ports }: Viewer): CheckRecord {
  const ping_url = check.ping && pingUrl(ports.settings, check.ping.uuid);
  if (seesSecrets(caller)) return { ...wholeRecord(check), ...(ping_url && { ping_url }) };
  return { ...withoutSecrets(wholeRecord(check), check), ...(ping_url && { ping_url: REDACTED }) };
}

function withoutSecrets<Shown extends object>(record: Shown, check: CheckItem): Shown {
  const { secrets, urls } = checkTypeOf(check.check_type);
  const members: Record<string, unknown> = check;
  const shown = urls.flatMap((name) => (typeof members[name] === 'string' ? [[name, redactUrl(members[name])]] : []));
  return { ...redactPaths(record, secrets), ...Object.fromEntries(shown) };
}

/** What the service itself sets. */
const STATE = ['id', 'state', 'state_since', 'consecutive_failures', 'created_at', 'updated_at'] as const;

const settingsOfCheck = (check: CheckItem): object =>
  Object.fromEntries(Object.entries(wholeRecord(check)).filter(([name]) => !STATE.includes(name as never)));

export const auditedCheck: Audited<CheckItem> = {
  type: 'check',
  target: (check) => ({
    id: check.id,
    name: checkLabel(check),
    within: [check.entity_id, ...(check.slug === undefined ? [] : [check.slug])],
  }),
  members: settingsOfCheck,
  shown: (check) => withoutSecrets(settingsOfCheck(check), check),
};
