import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import type { Env } from '#lib/env.ts';
import { CHECK_SLUGS, under } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { keysUnder } from '#lib/platform/table/reclaim.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

/** Pointer from a slug to its check; deleted after it, because a transaction limits a deletion's writes. 150 bytes. */
export type CheckPointer = Item & { v: string; check_id: string };

/** Returns the check with a slug; undefined if no check has it. */
export async function findCheckBySlug(
  { ports, keys, tenant }: TenantEnv,
  slug: string,
): Promise<CheckItem | undefined> {
  const pointer = await ports.table.get<CheckPointer>(keys.checkSlug(tenant, slug));
  const check = pointer && (await ports.table.get<CheckItem>(keys.check(tenant, pointer.check_id)));
  return check?.slug === slug ? check : undefined;
}

/** Returns the check with a slug. Throws NOT_FOUND. */
export async function requireCheckBySlug(context: TenantEnv, slug: string): Promise<CheckItem> {
  const check = await findCheckBySlug(context, slug);
  if (!check) throw notFound(`Check ${slug}`);
  return check;
}

/** CONFLICT: another check of the account has the slug. */
export class SlugTaken extends AppError {
  constructor(slug: string, holder: CheckItem) {
    const which = `${holder.id} (${checkLabel(holder)})`;
    super('CONFLICT', `Check ${which} already has the slug ${slug}. Choose another, or change that check first.`);
  }
}

/** Returns the writes that change a slug; `from`, `to`: undefined without a slug. Throws CONFLICT if `to` is taken. */
export async function slugWrites(
  context: TenantEnv,
  checkId: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<Write[]> {
  const { ports, keys, tenant } = context;
  if (from === to) return [];
  const oldKeys = from === undefined ? [] : [keys.checkSlug(tenant, from), keys.slugOfCheck(tenant, checkId, from)];
  const writes: Write[] = oldKeys.map((key) => ({ delete: key }));
  if (to === undefined) return writes;
  const present = await ports.table.get<CheckPointer>(keys.checkSlug(tenant, to));
  const holder = present && (await ports.table.get<CheckItem>(keys.check(tenant, present.check_id)));
  if (holder?.slug === to) throw new SlugTaken(to, holder);
  const put: CheckPointer = { ...keys.checkSlug(tenant, to), v: ports.ids.token(), check_id: checkId };
  return [
    ...writes,
    { put, if: present ? { version: present.v } : 'absent' },
    { put: keys.slugOfCheck(tenant, checkId, to) },
  ];
}

/** Deletes the slugs of a deleted check, except slugs that another check has taken since. Repeatable. */
export async function reclaimSlugs(
  { ports, keys }: Env<'table' | 'clock' | 'ids'>,
  { tenant_id, check_id }: { tenant_id: string; check_id: string },
): Promise<void> {
  for (const key of await keysUnder(ports, keys.ofCheck(tenant_id, check_id), under(CHECK_SLUGS))) {
    const slugKey = keys.checkSlug(tenant_id, key.sk.slice(CHECK_SLUGS.length));
    await retryOnConflict(ports, async () => {
      const pointer = await ports.table.get<CheckPointer>(slugKey);
      const isOwn = pointer?.check_id === check_id;
      const writes: Write[] = [{ delete: key }, ...(isOwn ? [{ delete: slugKey, if: { version: pointer.v } }] : [])];
      return (await commit(ports, writes)).ok ? true : RETRY;
    });
  }
}
