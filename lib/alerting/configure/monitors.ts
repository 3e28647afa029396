import { hash } from 'node:crypto';
import * as z from 'zod';
import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { accountChannels } from '#lib/alerting/policy/effective-policy.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { type BlueprintItem, type CatalogItem, NewBlueprint } from '#lib/catalog/blueprint.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity } from '#lib/catalog/change-entity.ts';
import { type CheckCountItem, checkCountWrite } from '#lib/catalog/check-count.ts';
import { Entity, type EntityItem, entityRecord, type NewEntity } from '#lib/catalog/entity.ts';
import { entityPath } from '#lib/catalog/entity-path.ts';
import type { EntityPointer } from '#lib/catalog/store.ts';
import { createCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem, CheckSettings } from '#lib/checks/check-item.ts';
import { CheckRecord, checkView } from '#lib/checks/settings/check-record.ts';
import { findCheckBySlug, requireCheckBySlug } from '#lib/checks/settings/check-slugs.ts';
import { guardSettings, loadOfCheck } from '#lib/checks/settings/guard-settings.ts';
import { changedIn, changesOnlyNames, parseWithoutEntity, validationContext } from '#lib/checks/settings/model.ts';
import { type MonitorSettings, monitorSettings, PRESETS, type PresetName } from '#lib/checks/settings/presets.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { closestName } from '#lib/platform/http/closest-name.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import { slugOf } from '#lib/platform/slug.ts';
import { oneAtATime } from '#lib/platform/table/retry.ts';
import { NAME_LENGTH, Name, shorten } from '#lib/platform/text.ts';
import {
  AccountChannelBody,
  AccountChannelRecord,
  accountChannelViews,
  addAccountChannel,
} from './account-channels.ts';
import { newSettings } from './channel-settings.ts';

const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

const listOfPresets = Object.entries(PRESETS)
  .map(([name, { about }]) => `${name}: ${about}`)
  .join(' ');

function unknownPreset({ input }: { input?: unknown }): string {
  const near = typeof input === 'string' ? closestName(input, PRESET_NAMES) : undefined;
  return `must be one of ${PRESET_NAMES.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
}

export const MonitorBody = z
  .object({
    preset: z
      .enum(PRESET_NAMES, { error: unknownPreset })
      .describe(`Kind of check. ${listOfPresets} Default: website.`)
      .default('website'),
    target: z
      .string()
      .max(2048)
      .describe('URL, host name, or host:port to monitor. Required, except for cron_job, which has none.')
      .optional(),
    name: Name.describe('Name of the entity in alerts. Default: the host name. Required for cron_job.').optional(),
    keyword: z
      .string()
      .max(4096)
      .describe('Case-sensitive text that the response must contain. Only for website and json_api.')
      .optional(),
    interval_seconds: z.int().min(1).describe('Seconds between probes. Default: that of the preset.').optional(),
    schedule: z
      .string()
      .describe('Due times of a cron_job: five cron fields, or lines of systemd OnCalendar.')
      .optional(),
    timezone: z.string().describe('IANA time zone of the schedule. Default: UTC.').optional(),
    channel: AccountChannelBody.describe(
      'Channel of the account to create, unless the account has one with the same destination.',
    ).optional(),
  })
  .meta({ id: 'NewMonitor' });
export type MonitorBody = z.output<typeof MonitorBody>;

export const Monitor = z
  .object({
    entity: Entity.describe('Entity of the target: new, or the existing one of the same host.'),
    check: CheckRecord.describe('Check of the target. The first probe of a new check starts immediately.'),
    channels: z.array(AccountChannelRecord).describe('Account channels that receive the alerts of the check.'),
    notes: z.array(z.string()).describe('Human-readable notes: input that the service completed, and other facts.'),
  })
  .meta({ id: 'Monitor' });
type Monitor = z.output<typeof Monitor>;

/**
 * Creates entity, check and channel for a target. A repeated request finds them and creates nothing. Validates before
 * it writes. Throws VALIDATION_ERROR, CONFLICT (the target is monitored with other settings), LIMIT_EXCEEDED.
 */
export async function createMonitor(
  context: Context,
  body: MonitorBody,
): Promise<{ monitor: Monitor; isNew: boolean }> {
  const { ports, keys, tenant } = context;
  const wanted = monitorSettings(body, ports.settings.MIN_INTERVAL_SECONDS);
  if ('message' in wanted) throw invalid(wanted.path, wanted.message);
  const settings = await renaming(
    (path) => PATHS[path] ?? path,
    () => validated(context, wanted),
  );
  await renaming(
    (path) => `channel.${path}`,
    async () => body.channel && newSettings(context, body.channel),
  );
  const { entity, notes } = await entityFor(context, body, wanted, () => assertRoom(context, settings));
  if (body.channel) await ensureChannel(context, body.channel);
  const { check, isNew } = await checkFor(context, entity, body.preset, wanted);
  const account = await readAlerting(context, tenant);
  const channels = accountChannels({ account, check, entity });
  const mayHaveOwn = channels.length === 0 && !isNew;
  const policy = mayHaveOwn ? await ports.table.get<PolicyItem>(keys.policy(tenant, check.id)) : undefined;
  const hasChannel = channels.length > 0 || (policy?.channels ?? []).length > 0;
  const monitor: Monitor = {
    entity,
    check: await checkView(context, check),
    channels: await accountChannelViews(context, channels),
    notes: [
      ...wanted.notes,
      ...notes,
      ...(isNew ? [] : ['The target is monitored already. No check was created.']),
      ...(hasChannel ? [] : ['No channel receives the alerts. Add one with POST /v1/notify/channels.']),
    ],
  };
  return { monitor, isNew };
}

/** Property of the request for each property of the check. */
const PATHS: Readonly<Record<string, string>> = {
  target_url: 'target',
  'config.host': 'target',
  'config.port': 'target',
  'config.domain': 'target',
  body_contains: 'keyword',
  'config.schedule': 'schedule',
  'config.timezone': 'timezone',
};

/** Runs work. Replaces the property names in its errors by the names that the request uses. */
async function renaming<T>(rename: (path: string) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError && error.details)) throw error;
    throw refusal(error.details.map(({ path, message }) => ({ path: rename(path), message })));
  }
}

async function validated(context: Context, { check }: MonitorSettings): Promise<CheckSettings> {
  const settings = parseWithoutEntity(check, validationContext(context.ports));
  await guardSettings(settings, context);
  return settings;
}

/** Throws LIMIT_EXCEEDED if a limit leaves no room for the check, so that no entity without a check is created. */
async function assertRoom(context: Context, settings: CheckSettings): Promise<void> {
  const { ports, keys, tenant } = context;
  const [account, count] = await ports.table.getMany<[AccountItem, CheckCountItem]>([
    keys.account(tenant),
    keys.checkCount(tenant),
  ]);
  checkCountWrite(context, count, { checks: 1, load: loadOfCheck(settings) }, account);
}

const MAX_HOSTS_OF_SLUG = 20;
const MAX_LABEL = 100;

/**
 * Returns the entity with the slug of the host, if its name or label `host` is the host; else creates one. If another
 * entity has the slug, a number is added to it: `shop-example-com-2`.
 */
async function entityFor(
  context: Context,
  { preset, name }: MonitorBody,
  { host }: MonitorSettings,
  beforeCreation: () => Promise<void>,
): Promise<{ entity: Entity; notes: string[] }> {
  const blueprint = await defaultBlueprint(context);
  const labels: Record<string, string> = preset === 'cron_job' ? {} : { host: host.slice(0, MAX_LABEL) };
  const isOfHost = (entity: Entity) =>
    entity.name === host || (labels.host !== undefined && entity.labels.host === labels.host);
  const base = slugOf(host) || preset.replaceAll('_', '-');
  const input = { name: name ?? shorten(host, NAME_LENGTH), fields: {}, labels };
  for (let number = 1; number <= MAX_HOSTS_OF_SLUG; number++) {
    const slug = number === 1 ? base : `${base.slice(0, 60)}-${number}`;
    const found = await findEntity(context, blueprint, slug);
    if (!found) {
      await beforeCreation();
      const created = await createUnlessTaken(context, blueprint, { slug, ...input });
      if (created)
        return { entity: created, notes: number === 1 ? [] : [`The slug is ${slug}, because ${base} is in use.`] };
    }
    const entity = found ?? (await findEntity(context, blueprint, slug));
    if (entity && isOfHost(entity)) {
      const other = name !== undefined && name !== entity.name ? ` It keeps its name ${entity.name}.` : '';
      return { entity, notes: [`The existing entity ${entityPath(entity)} was used.${other}`] };
    }
  }
  throw new AppError('CONFLICT', `The slugs ${base} to ${base}-${MAX_HOSTS_OF_SLUG} are in use by other entities.`);
}

const SERVICE = NewBlueprint.parse({ slug: 'service', name: 'Service' });

/** Returns the slug of the default blueprint; creates `service` in an account without blueprints. */
async function defaultBlueprint(context: Context): Promise<string> {
  const { ports, keys, tenant } = context;
  const catalog = await ports.table.get<CatalogItem>(keys.catalog(tenant));
  if (catalog?.default_slug) return catalog.default_slug;
  await unlessTaken(() => createBlueprint(context, SERVICE));
  return SERVICE.slug;
}

async function findEntity(
  { ports, keys, tenant }: Context,
  blueprintSlug: string,
  slug: string,
): Promise<Entity | undefined> {
  const [blueprint, pointer] = await ports.table.getMany<[BlueprintItem, EntityPointer]>([
    keys.blueprint(tenant, blueprintSlug),
    keys.entitySlug(tenant, blueprintSlug, slug),
  ]);
  const entity = pointer && (await ports.table.get<EntityItem>(keys.entity(tenant, pointer.entity_id)));
  return blueprint && entity && entityRecord(entity, blueprint, ports.clock.now());
}

/** Creates an entity; undefined if another request took the slug. Throws CONFLICT if required fields are missing. */
async function createUnlessTaken(context: Context, blueprint: string, input: NewEntity): Promise<Entity | undefined> {
  try {
    return await unlessTaken(() => createEntity(context, blueprint, input));
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'VALIDATION_ERROR')) throw error;
    const host = input.labels?.host;
    const known = host === undefined ? `name ${input.name}` : `label host: ${host}`;
    const how = `Create an entity with slug ${input.slug} and ${known} first; the monitor then uses it.`;
    throw new AppError('CONFLICT', `The default blueprint ${blueprint} has required fields. ${how}`);
  }
}

async function unlessTaken<T>(create: () => Promise<T>): Promise<T | undefined> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return undefined;
    throw error;
  }
}

type NewChannel = NonNullable<MonitorBody['channel']>;

async function ensureChannel(context: Context, input: NewChannel): Promise<void> {
  const { destination } = newSettings(context, input);
  await oneAtATime(context.ports.table, `${context.tenant} monitor channels`, async () => {
    const { channels } = await readAlerting(context, context.tenant);
    if (!channels.some((one) => one.destination === destination)) await addAccountChannel(context, input);
  });
}

async function checkFor(
  context: Context,
  entity: Entity,
  preset: PresetName,
  { check, suffix }: MonitorSettings,
): Promise<{ check: CheckItem; isNew: boolean }> {
  const slug = checkSlug(entity.slug, preset, suffix);
  const body = { ...check, slug, entity_id: entity.id };
  const found = await findCheckBySlug(context, slug);
  if (found) return { check: sameCheck(context, found, body), isNew: false };
  const created = await unlessTaken(() => createCheck(context, body));
  if (created) return { check: created, isNew: true };
  return { check: sameCheck(context, await requireCheckBySlug(context, slug), body), isNew: false };
}

/** Returns the existing check if it has the settings of the request. Throws CONFLICT. */
function sameCheck({ ports }: Context, found: CheckItem, body: object & { entity_id: string }): CheckItem {
  // An interval derived from a schedule depends on the time; that of the existing check was derived at `settings_at`.
  const context = { ...validationContext(ports), now: found.settings_at };
  const { entity_id: _none, ...settings } = parseWithoutEntity({ ...body, entity_id: undefined }, context);
  const changed = changedIn(found, { ...settings, entity_id: body.entity_id });
  if (changesOnlyNames(changed)) return found;
  const which = `Check ${found.id} (${checkLabel(found)})`;
  const how = `Change it with PUT /v1/checks/${found.id}.`;
  throw new AppError(
    'CONFLICT',
    `${which} monitors the target already, with other settings: ${changed.join(', ')}. ${how}`,
  );
}

/** Returns the slug of the check, by which a repeated request finds it: at most 64 characters. */
function checkSlug(entitySlug: string, preset: PresetName, suffix: string): string {
  const full = preset === 'cron_job' ? entitySlug : `${entitySlug}-${preset.replaceAll('_', '-')}`;
  if (suffix === '' && full.length <= MAX_SLUG) return full;
  return `${full.slice(0, MAX_SLUG - DIGEST - 1)}-${hash('sha256', full + suffix, 'hex').slice(0, DIGEST)}`;
}

const MAX_SLUG = 64;
const DIGEST = 8;
