import { createHash } from 'node:crypto';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { MERGE_MS, publishMessage } from '#lib/messages.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type CountItem, countWrite } from '#lib/platform/table/count-item.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { assertTimeZone } from '#lib/schedule/calendar/calendar.ts';
import { calendarErrorsAt } from '#lib/schedule/calendar/calendar-errors.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { isStatusDomain, namesOfService } from '#lib/settings.ts';
import {
  auditedStatusPage,
  type ComponentInput,
  componentsOf,
  DEFAULTS,
  type Group,
  MAX_PAGES,
  type NewStatusPage,
  requirePage,
  type StatusAddressItem,
  type StatusLogoItem,
  type StatusPageItem,
  type StatusPagePatch,
} from './status-page.ts';
import { deleteSubscribers } from './subscribers.ts';

/** Context in which a caller or the service itself changes a page. */
type Scope = MutationContext & Env<'queues'>;

/** Creates a page. Throws CONFLICT for a used slug, LIMIT_EXCEEDED, VALIDATION_ERROR for an unknown entity or check. */
export async function createPage(context: Context, input: NewStatusPage): Promise<StatusPageItem> {
  const { ports, keys, tenant } = context;
  const id = ports.ids.id('pag');
  const now = iso(ports.clock.now());
  const page: StatusPageItem = {
    ...keys.statusPage(tenant, id),
    v: ports.ids.token(),
    tenant_id: tenant,
    id,
    ...DEFAULTS,
    ...input,
    groups: await validGroups(context, input.groups ?? []),
    link_token: ports.ids.shortSecret(),
    created_at: now,
    updated_at: now,
  };
  assertZone(page);
  const auditWrites = auditWriter(context, 'create', auditedStatusPage);
  await writePage(context, id, async () => [
    { put: page, if: 'absent' },
    await addressWrite(context, page, 'slug', page.slug),
    await pageCountWrite(context, +1),
    ...auditWrites(undefined, page),
  ]);
  return page;
}

/** Changes the given properties of a page. @throws AppError NOT_FOUND, CONFLICT for a slug in use, VALIDATION_ERROR */
export async function changePage(
  context: Context,
  id: string,
  { id: same, rotate_link, ...given }: StatusPagePatch,
): Promise<StatusPageItem> {
  const { ports, keys } = context;
  assertUnchanged({ id }, { id: same });
  const link_token = rotate_link && ports.ids.shortSecret();
  const auditWrites = auditWriter(context, 'update', auditedStatusPage);
  let result: StatusPageItem | undefined;
  await writePage(context, id, async () => {
    const page = await requirePage(context, id);
    const changed: StatusPageItem = {
      ...(await withSettings(context, page, given)),
      ...(link_token && { link_token }),
      v: ports.ids.token(),
      updated_at: iso(ports.clock.now()),
    };
    result = page;
    if (isSame(auditedStatusPage, page, changed)) return undefined;
    result = changed;
    return [
      { put: changed, if: { version: page.v } },
      ...(changed.slug === page.slug
        ? []
        : [
            await addressWrite(context, changed, 'slug', changed.slug),
            { delete: keys.statusAddress(page.slug) } as const,
          ]),
      ...auditWrites(page, changed),
    ];
  });
  return result!;
}

/** Returns a page with the given settings, without storing it. @throws AppError VALIDATION_ERROR */
export async function withSettings(
  context: Context,
  page: StatusPageItem,
  { groups, ...given }: Omit<StatusPagePatch, 'id' | 'rotate_link'>,
): Promise<StatusPageItem> {
  const changed = { ...page, ...given, ...(groups && { groups: await validGroups(context, groups, page) }) };
  assertZone(changed);
  return changed;
}

/** Deletes a page; its files are removed by the publisher. */
export async function deletePage(scope: Scope, id: string): Promise<void> {
  const { keys, tenant } = scope;
  const auditWrites = auditWriter(scope, 'delete', auditedStatusPage);
  await writePage(scope, id, async () => {
    const page = await scope.ports.table.get<StatusPageItem>(keys.statusPage(tenant, id));
    // Deleted by an earlier attempt whose response was lost.
    if (!page) return undefined;
    await deleteSubscribers(scope, page);
    return [
      { delete: keys.statusPage(tenant, id), if: { version: page.v } },
      { delete: keys.statusAddress(page.slug) },
      ...(page.domain ? [{ delete: keys.statusAddress(page.domain) } as const] : []),
      { delete: keys.statusLogo(tenant, id) },
      await pageCountWrite(scope, -1),
      ...auditWrites(page, undefined),
    ];
  });
}

/** Image types by their first bytes; a declared type is not trusted. */
const IMAGES = [
  { type: 'image/png', extension: 'png', starts: /^89504e470d0a1a0a/ },
  { type: 'image/jpeg', extension: 'jpg', starts: /^ffd8ff/ },
  { type: 'image/webp', extension: 'webp', starts: /^52494646.{8}57454250/ },
];

/** Sets the logo of a page from an image in base64; undefined removes it. @throws AppError VALIDATION_ERROR */
export async function setLogo(context: Context, id: string, data: string | undefined): Promise<StatusPageItem> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'update', auditedStatusPage);
  const image = data === undefined ? undefined : imageOf(data);
  let result: StatusPageItem | undefined;
  await writePage(context, id, async () => {
    const { logo, ...page } = await requirePage(context, id);
    const before = { ...page, ...(logo && { logo }) };
    result = before;
    if (logo === image?.name) return undefined;
    result = {
      ...page,
      ...(image && { logo: image.name }),
      v: ports.ids.token(),
      updated_at: iso(ports.clock.now()),
    };
    const key = keys.statusLogo(tenant, id);
    const stored: StatusLogoItem | undefined = image && { ...key, v: ports.ids.token(), ...image };
    return [
      { put: result, if: { version: page.v } },
      stored ? { put: stored } : { delete: key },
      ...auditWrites(before, result),
    ];
  });
  return result!;
}

function imageOf(data: string): Pick<StatusLogoItem, 'name' | 'type' | 'data'> {
  const bytes = Buffer.from(data, 'base64');
  const start = bytes.subarray(0, 16).toString('hex');
  const image = IMAGES.find(({ starts }) => starts.test(start));
  if (!image) throw invalid('data', 'is not a PNG, JPEG or WebP image');
  // New content has a new name, so that no cache shows the old content.
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { name: `logo-${digest}.${image.extension}`, type: image.type, data };
}

/**
 * Sets the domain (lower case) of a page for the operator; undefined removes it. The next tick publishes the page.
 * @throws AppError CONFLICT for a domain of another page, VALIDATION_ERROR if it is invalid or belongs to the service
 */
export async function setDomain(scope: MutationContext, id: string, domain: string | undefined): Promise<void> {
  const { ports, keys } = scope;
  if (domain !== undefined && !isStatusDomain(domain))
    throw invalid('domain', 'must be a name without scheme, port and path, such as status.example.com');
  if (domain !== undefined && namesOfService(ports.settings).includes(domain))
    throw invalid('domain', `${domain} is an address of the service itself; choose another one`);
  const auditWrites = auditWriter(scope, 'update', auditedStatusPage);
  await commitPage(scope, id, async () => {
    const before = await requirePage(scope, id);
    const { domain: old, ...page } = before;
    if (domain === old) return undefined;
    const changed = {
      ...page,
      ...(domain !== undefined && { domain }),
      v: ports.ids.token(),
      updated_at: iso(ports.clock.now()),
    };
    return [
      { put: changed, if: { version: page.v } },
      ...(domain === undefined ? [] : [await addressWrite(scope, page, 'domain', domain)]),
      ...(old === undefined ? [] : [{ delete: keys.statusAddress(old) } as const]),
      ...auditWrites(before, changed),
    ];
  });
}

async function writePage(scope: Scope, id: string, change: () => Promise<Write[] | undefined>): Promise<void> {
  const { ports, tenant } = scope;
  if (await commitPage(scope, id, change))
    await ports.queues.send('publish', [publishMessage(tenant, ports.clock.now(), id)]);
}

/** Commits a change and an entry that publishes it by the next tick, also after a crash. Returns false if unchanged. */
function commitPage(
  { ports, keys, tenant }: MutationContext,
  id: string,
  change: () => Promise<Write[] | undefined>,
): Promise<boolean> {
  return oneAtATime(ports.table, keys.statusPages(tenant), () =>
    retryOnConflict(ports, async () => {
      const writes = await change();
      if (!writes) return false;
      const owner = { tenant_id: tenant, entity_id: id, id };
      const at = ports.clock.now() + MERGE_MS;
      const entry = deadlineEntry(keys, 'status_page', owner, ports.ids.token(), at);
      return (await commit(ports, [...writes, { put: entry }])).ok ? true : RETRY;
    }),
  );
}

/** Returns the write that points a slug or domain to its page. @throws AppError CONFLICT if another page has it */
async function addressWrite(
  { ports, keys }: Env<'table' | 'ids'>,
  { tenant_id, id }: StatusPageItem,
  kind: 'slug' | 'domain',
  address: string,
): Promise<Write> {
  const key = keys.statusAddress(address);
  const taken = await ports.table.get<StatusAddressItem>(key);
  if (taken && taken.page_id !== id)
    throw new AppError(
      'CONFLICT',
      kind === 'slug'
        ? `The slug ${address} is in use. Choose another one.`
        : `The domain ${address} belongs to page ${taken.page_id}. Remove it there first.`,
      { details: [{ path: kind, message: 'is in use' }] },
    );
  const put: StatusAddressItem = { ...key, v: ports.ids.token(), tenant_id, page_id: id };
  return { put, if: taken ? { version: taken.v } : 'absent' };
}

async function pageCountWrite({ ports, keys, tenant }: Scope, step: 1 | -1): Promise<Write> {
  const key = keys.statusPageCount(tenant);
  return countWrite(ports, key, await ports.table.get<CountItem>(key), step, { max: MAX_PAGES, kind: 'status pages' });
}

const assertZone = ({ time_zone }: StatusPageItem): void =>
  calendarErrorsAt('time_zone', () => assertTimeZone(time_zone));

/**
 * Validates groups and gives each new component an id. An entity or check that a component shows must exist in the
 * account; an existing component may keep one that was deleted since.
 */
async function validGroups(
  { ports, keys, tenant }: Context,
  groups: readonly { name: string; components: readonly ComponentInput[] }[],
  page?: StatusPageItem,
): Promise<Group[]> {
  const known = new Map(page ? componentsOf(page).map((one) => [one.id, one]) : []);
  const used = new Set<string>();
  const result: Group[] = [];
  for (const [g, { name, components }] of groups.entries()) {
    const valid: Group['components'] = [];
    for (const [c, given] of components.entries()) {
      const path = `groups.${g}.components.${c}`;
      const before = given.id === undefined ? undefined : known.get(given.id);
      if (given.id !== undefined && !before) throw invalid(`${path}.id`, 'is not a component of this page; omit it');
      if (given.id !== undefined && used.has(given.id)) throw invalid(`${path}.id`, 'is used twice');
      const { entity_id, check_id } = given;
      if (entity_id !== null && entity_id !== before?.entity_id) {
        const key = isId('ent', entity_id) && keys.entity(tenant, entity_id);
        if (!key || !(await ports.table.get<EntityItem>(key)))
          throw invalid(`${path}.entity_id`, 'is not an entity of the account; GET /v1/status lists them');
      }
      if (check_id !== null && check_id !== before?.check_id) {
        const key = isId('chk', check_id) && keys.check(tenant, check_id);
        if (!key || !(await ports.table.get<CheckItem>(key)))
          throw invalid(`${path}.check_id`, 'is not a check of the account; GET /v1/checks lists them');
      }
      const id = given.id ?? ports.ids.id('cmp');
      used.add(id);
      valid.push({ ...given, id });
    }
    result.push({ name, components: valid });
  }
  return result;
}
