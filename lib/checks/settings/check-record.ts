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
import { checkTarget, checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import type { Rights } from '#lib/platform/http/access.ts';
import { CreatedAt, IdOf, UpdatedAt } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { memberOf, pick } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { iso } from '#lib/platform/time.ts';
import { MODE, PULL_SETTINGS, settingsOf } from './model.ts';
import { pingUrl } from './ping-url.ts';

const PingUrl = z.string().describe('Secret address for pings by curl or a Healthchecks client, without a key.');

const recordOf = ({ type, mode, interval, fields, config }: CheckType) =>
  z.object({
    id: IdOf('the check'),
    entity_id: IdOf('the entity of the check'),
    entity: z.string().describe('Path of the entity, by slugs: service/shop.'),
    name: z.string().nullable().describe('Name in alerts; null: alerts show the target.'),
    slug: z.string().nullable().describe('Slug, unique in the account; null if it has none.'),
    labels: z.record(z.string(), z.string()).describe('Own labels. Filters also match labels of the entity.'),
    check_type: z.literal(type).describe('Type of the check.'),
    execution_mode: z.literal(mode).describe(MODE[mode]),
    ...fields.shape,
    ...settingsOf(mode, interval.minimum),
    ...(mode === 'pull' && PULL_SETTINGS),
    config: config.describe('Settings of the type.'),
    state: CheckState.describe(
      'unknown: disabled, or no success yet and fewer failures than failure_threshold. degraded: working with warnings.',
    ),
    state_since: z.iso.datetime().describe('Start of the current state.'),
    ...Counters.shape,
    flapping_since: z.iso
      .datetime()
      .nullable()
      .describe('Start of flapping, by flap_threshold of its policy; null if it is not flapping.'),
    acknowledgement: AcknowledgementRecord.nullable().describe(
      'Acknowledgement of its failure; null if not acknowledged.',
    ),
    ...(mode === 'push' && { ping_url: PingUrl }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  });

const records = new Map([...checkTypes].map(([name, type]) => [name, recordOf(type)]));

const schemasWithoutEntity = new Map([...records].map(([name, record]) => [name, record.omit({ entity: true })]));

export type CheckRecord = z.output<ReturnType<typeof recordOf>>;

/** Returns the API schema of a check, one per type. @param id name of the component in the API description */
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

/** Response to creating or changing a check. */
export const CheckRecord = checkSchema<z.ZodObject>('Check', () => z.object());

const recordWithoutEntity = (check: CheckItem, now: number): Omit<CheckRecord, 'entity'> =>
  pick(schemasWithoutEntity.get(check.check_type)!, {
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

/** Returns the check as shown to the caller; secrets are ******** with read access only. */
export function checkRecord(
  check: CheckItem,
  entity: Pick<Entity, 'blueprint_slug' | 'slug'>,
  { caller, ports }: Pick<Context, 'caller' | 'ports'>,
): CheckRecord {
  const { id, entity_id, ...rest } = recordWithoutEntity(check, ports.clock.now());
  const canSeeSecrets = seesSecrets(caller);
  const ping_url = check.ping && (canSeeSecrets ? pingUrl(ports.settings, check.ping.uuid) : REDACTED);
  const record: CheckRecord = { id, entity_id, entity: entityPath(entity), ...rest, ...(ping_url && { ping_url }) };
  return canSeeSecrets ? record : withoutSecrets(record, check);
}

export function visibleTargets(check: CheckItem, caller: Rights): string[] {
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

const NOT_SETTINGS: readonly string[] = [
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
  Object.fromEntries(Object.entries(recordWithoutEntity(check, 0)).filter(([name]) => !NOT_SETTINGS.includes(name)));

export const auditedCheck: Audited<CheckItem> = {
  type: 'check',
  target: checkTarget,
  properties: settingsOfCheck,
  shown: (check) => withoutSecrets(settingsOfCheck(check), check),
};

/** Returns the entity of a check. Throws NOT_FOUND if both have just been deleted. */
async function entityOf(context: Context, { entity_id }: CheckItem): Promise<EntityItem> {
  const [entity] = await requireEntities(context, [entity_id], { eventual: true });
  return entity!;
}

/** Returns a check as shown to the caller. Reads its entity (half a read unit), unlike `checkRecord`. */
export const checkView = async (context: Context, check: CheckItem): Promise<CheckRecord> =>
  checkRecord(check, await entityOf(context, check), context);

/** Throws VALIDATION_ERROR if a request names an entity, such as `service/shop`, that is not the check's. */
export async function assertOnEntity(context: Context, check: CheckItem, path: string | undefined): Promise<void> {
  if (path !== undefined) assertUnchanged({ entity: entityPath(await entityOf(context, check)) }, { entity: path });
}
