import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { redactPaths, redactUrl, redactUrlsAt, seesSecrets } from '#lib/access/redaction.ts';
import type { Audited } from '#lib/audit/write.ts';
import type { Entity, EntityItem } from '#lib/catalog/entity.ts';
import { entityPath } from '#lib/catalog/entity-path.ts';
import { CheckState } from '#lib/catalog/states.ts';
import { requireEntities } from '#lib/catalog/store.ts';
import { AcknowledgementRecord, acknowledgementRecord } from '#lib/checks/acknowledgement.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { Counters, countersOf } from '#lib/checks/state/next-state.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkLabel, checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { mustStay } from '#lib/platform/http/validation.ts';
import { memberOf, pick } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { iso } from '#lib/platform/time.ts';
import { MODE, PULL_SETTINGS, settingsOf } from './model.ts';
import { pingUrl } from './ping-url.ts';

const PingUrl = z
  .string()
  .describe('Where its job reports by curl or a client of Healthchecks, without a key: whoever knows it can ping.');

const recordOf = ({ type, mode, interval, fields, config }: CheckType) =>
  z.object({
    id: IdOf('the check'),
    entity_id: IdOf('the entity that it is attached to'),
    entity: z.string().describe('Slugs of its blueprint and of itself: service/shop.'),
    name: z.string().nullable().describe('What alerts call it; null: they name its target.'),
    slug: z.string().nullable().describe('Names it in the account; null: it has none.'),
    labels: z.record(z.string(), z.string()).describe('Its own; those of its entity count too when one looks for it.'),
    check_type: z.literal(type).describe('What kind of check it is.'),
    execution_mode: z.literal(mode).describe(MODE[mode]),
    ...fields.shape,
    ...settingsOf(mode, interval.least),
    ...(mode === 'pull' && PULL_SETTINGS),
    config: config.describe('Settings of this type.'),
    state: CheckState.describe(
      'unknown until it has succeeded once, or failed failure_threshold times in a row. degraded: it works, and warns.',
    ),
    state_since: z.iso.datetime().describe('Since when it is in this state.'),
    ...Counters.shape,
    flapping_since: z.iso
      .datetime()
      .nullable()
      .describe('Since when its state changes too often, by flap_threshold of its policy; null while it does not.'),
    acknowledgement: AcknowledgementRecord.nullable().describe('Who looks after its failure; null when nobody does.'),
    ...(mode === 'push' && { ping_url: PingUrl }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  });

const records = new Map([...checkTypes].map(([name, type]) => [name, recordOf(type)]));

/** What the check itself has of them. */
const owns = new Map([...records].map(([name, record]) => [name, record.omit({ entity: true })]));

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

/** The record without its entity, secrets included. @param now epoch ms */
const ownRecord = (check: CheckItem, now: number): Omit<CheckRecord, 'entity'> =>
  pick(owns.get(check.check_type)!, {
    ...check,
    ...countersOf(check),
    name: check.name ?? null,
    slug: check.slug ?? null,
    labels: check.labels ?? {},
    flapping_since: flappingSince(check, now),
    acknowledgement: acknowledgementRecord(check, now),
  });

const flappingSince = ({ alerts: { flapping } }: CheckItem, now: number): string | null =>
  flapping && now < flapping.until ? iso(flapping.since) : null;

/** The check as it is shown, with the entity that it is on; who may only read sees its secrets as ********. */
export function checkRecord(
  check: CheckItem,
  entity: Pick<Entity, 'blueprint_slug' | 'slug'>,
  { caller, ports }: Pick<Context, 'caller' | 'ports'>,
): CheckRecord {
  const { id, entity_id, ...rest } = ownRecord(check, ports.clock.now());
  const seen = seesSecrets(caller);
  const ping_url = check.ping && (seen ? pingUrl(ports.settings, check.ping.uuid) : REDACTED);
  const record: CheckRecord = { id, entity_id, entity: entityPath(entity), ...rest, ...(ping_url && { ping_url }) };
  return seen ? record : withoutSecrets(record, check);
}

/** What a check looks at, as who calls may see it. */
export function shownTargets(check: CheckItem, caller: Rights): string[] {
  if (check.execution_mode === 'push') return [];
  const { targetLabel, urls } = checkTypeOf(check.check_type);
  const valueAt = (path: string) => path.split('.').reduce<unknown>(memberOf, check);
  const found = urls.map(valueAt).filter((url) => typeof url === 'string');
  return [targetLabel(check), ...found.map((url) => (seesSecrets(caller) ? url : redactUrl(url)))];
}

function withoutSecrets<Shown extends object>(record: Shown, check: CheckItem): Shown {
  const { secrets, urls } = checkTypeOf(check.check_type);
  return redactUrlsAt(redactPaths(record, secrets), urls);
}

/** What the service itself sets. */
const STATE: readonly string[] = [
  'id',
  'state',
  'state_since',
  'flapping_since',
  'acknowledgement',
  'created_at',
  'updated_at',
  ...Object.keys(Counters.shape),
];

const settingsOfCheck = (check: CheckItem): object =>
  Object.fromEntries(Object.entries(ownRecord(check, 0)).filter(([name]) => !STATE.includes(name)));

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

/** The entity that a check is on. Throws NOT_FOUND when it has just gone, and the check with it. */
async function entityOf(context: Context, { entity_id }: CheckItem): Promise<EntityItem> {
  // What is asked of it never changes.
  const [entity] = await requireEntities(context, [entity_id], { eventual: true });
  return entity!;
}

/** A check as who calls may see it. Costs half a read unit; lists know the entities that they show checks of. */
export const shownCheck = async (context: Context, check: CheckItem): Promise<CheckRecord> =>
  checkRecord(check, await entityOf(context, check), context);

/** Throws VALIDATION_ERROR where a request names another entity, as `service/shop`, than the one that a check is on. */
export async function mustBeOn(context: Context, check: CheckItem, path: string | undefined): Promise<void> {
  if (path !== undefined) mustStay({ entity: entityPath(await entityOf(context, check)) }, { entity: path });
}
