import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, TenantEnv } from '#lib/access/context.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { BADGES, under } from '#lib/keys.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { type CountItem, countWrite } from '#lib/platform/table/count-item.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { requirePage } from '#lib/public/pages/status-page.ts';
import {
  auditedBadge,
  type BadgeItem,
  type BadgeTarget,
  MAX_BADGES,
  type NewBadge,
  type PublicBadgeItem,
} from './badge.ts';

/** Reads the badges of an account, oldest first. */
export const allBadges = ({ ports, keys, tenant }: TenantEnv): Promise<BadgeItem[]> =>
  allOf<BadgeItem>(ports.table, { partition: keys.badges(tenant), ...under(BADGES) });

/** Finds a badge. @throws AppError NOT_FOUND */
export async function requireBadge({ ports, keys, tenant }: TenantEnv, id: string): Promise<BadgeItem> {
  const badge = isId('bdg', id) ? await ports.table.get<BadgeItem>(keys.badge(tenant, id)) : undefined;
  if (!badge) throw notFound(`Badge ${id}`);
  return badge;
}

async function targetOf(context: Context, input: NewBadge): Promise<BadgeTarget> {
  const { check_id = null, entity_id = null, status_page_id = null } = input;
  const given = Object.entries({ check_id, entity_id, status_page_id }).filter(([, id]) => id !== null);
  const [[name] = ['check_id']] = given;
  if (given.length !== 1) throw invalid(name, 'exactly one of check_id, entity_id and status_page_id is required');
  if (check_id !== null) await requireCheck(context, check_id);
  if (entity_id !== null) await requireEntityById(context, entity_id);
  if (status_page_id !== null) await requirePage(context, status_page_id);
  return { check_id, entity_id, status_page_id };
}

/** Creates a badge. @throws AppError VALIDATION_ERROR, NOT_FOUND for an unknown target, LIMIT_EXCEEDED */
export async function createBadge(context: Context, input: NewBadge): Promise<BadgeItem> {
  const { ports, keys, tenant } = context;
  const target = await targetOf(context, input);
  const id = ports.ids.id('bdg');
  const badge: BadgeItem = {
    ...keys.badge(tenant, id),
    v: ports.ids.token(),
    id,
    label: input.label ?? null,
    ...target,
    public_id: ports.ids.shortSecret(),
    created_at: iso(ports.clock.now()),
  };
  const { label, public_id, v } = badge;
  const publicBadge: PublicBadgeItem = { ...keys.publicBadge(public_id), v, tenant_id: tenant, label, ...target };
  const auditWrites = auditWriter(context, 'create', auditedBadge);
  return retryOnConflict(ports, async () => {
    const done = await commit(ports, [
      { put: badge, if: 'absent' },
      { put: publicBadge, if: 'absent' },
      await badgeCountWrite(context, +1),
      ...auditWrites(undefined, badge),
    ]);
    return done.ok ? badge : RETRY;
  });
}

/** Deletes a badge. Its address returns 404 at once; caches show the badge for up to a minute. */
export async function deleteBadge(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedBadge);
  await retryOnConflict(ports, async () => {
    const badge = await ports.table.get<BadgeItem>(keys.badge(tenant, id));
    // Deleted by an earlier attempt whose response was lost.
    if (!badge) return undefined;
    const done = await commit(ports, [
      { delete: keys.badge(tenant, id), if: { version: badge.v } },
      { delete: keys.publicBadge(badge.public_id) },
      await badgeCountWrite(context, -1),
      ...auditWrites(badge, undefined),
    ]);
    return done.ok ? undefined : RETRY;
  });
}

/** Returns the keys of all badges of an account, to delete them with it. */
export async function keysOfBadges(scope: TenantEnv): Promise<Key[]> {
  const { keys, tenant } = scope;
  const badges = await allBadges(scope);
  return [
    keys.badgeCount(tenant),
    ...badges.flatMap(({ id, public_id }) => [keys.badge(tenant, id), keys.publicBadge(public_id)]),
  ];
}

async function badgeCountWrite({ ports, keys, tenant }: Context, step: 1 | -1): Promise<Write> {
  const key = keys.badgeCount(tenant);
  return countWrite(ports, key, await ports.table.get<CountItem>(key), step, { max: MAX_BADGES, kind: 'badges' });
}
