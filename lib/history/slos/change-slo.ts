import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, TenantEnv } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import { requireEntityById } from '#lib/catalog/store.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { SLOS, under } from '#lib/keys.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { auditedSlo, type NewSlo, type SloItem, type SloPatch } from './slo.ts';

const MAX_SLOS = 100;

/** Ids of the SLOs of an account by slug, which makes slugs unique and limits their number. */
type SloHead = Item & { v: string; slugs: Record<string, string> };

/** Reads the SLOs of the account, oldest first. */
export const allSlos = ({ ports, keys, tenant }: TenantEnv): Promise<SloItem[]> =>
  allOf<SloItem>(ports.table, { partition: keys.slos(tenant), ...under(SLOS) });

/** Returns an SLO. @throws AppError NOT_FOUND */
export async function requireSlo({ ports, keys, tenant }: Context, id: string): Promise<SloItem> {
  const slo = isId('slo', id) ? await ports.table.get<SloItem>(keys.slo(tenant, id)) : undefined;
  if (!slo) throw notFound(`SLO ${id}`);
  return slo;
}

const readHead = ({ ports, keys, tenant }: Context) => ports.table.get<SloHead>(keys.sloHead(tenant));

function headWith({ ports, keys, tenant }: Context, head: SloHead | undefined, slugs: SloHead['slugs']): Write {
  const put: SloHead = { ...keys.sloHead(tenant), v: ports.ids.token(), slugs };
  return { put, if: head ? { version: head.v } : 'absent' };
}

function assertFree(head: SloHead | undefined, slug: string): void {
  if (!head || !Object.hasOwn(head.slugs, slug)) return;
  throw new AppError('CONFLICT', `The SLO ${slug} already exists. Choose another slug, or update that SLO with PUT.`);
}

/** Creates an SLO. @throws AppError VALIDATION_ERROR, NOT_FOUND for its check or entity, CONFLICT, LIMIT_EXCEEDED */
export async function createSlo(context: Context, input: NewSlo): Promise<SloItem> {
  const { ports, keys, tenant } = context;
  const { check_id, entity_id, window = '30d', degraded_is_down = false, ...given } = input;
  if (check_id !== undefined && entity_id !== undefined)
    throw invalid('entity_id', 'must not be combined with check_id: an SLO measures one of them');
  if (check_id !== undefined) await requireCheck(context, check_id);
  else if (entity_id !== undefined) await requireEntityById(context, entity_id);
  else throw invalid('check_id', 'is required unless entity_id is given');
  const id = ports.ids.id('slo');
  const now = iso(ports.clock.now());
  const slo: SloItem = {
    ...keys.slo(tenant, id),
    v: ports.ids.token(),
    id,
    ...given,
    check_id: check_id ?? null,
    entity_id: entity_id ?? null,
    window,
    degraded_is_down,
    created_at: now,
    updated_at: now,
  };
  const auditWrites = auditWriter(context, 'create', auditedSlo);
  return retryOnConflict(ports, async () => {
    const head = await readHead(context);
    // An earlier attempt wrote it, but its response was lost.
    if (head?.slugs[slo.slug] === id) return slo;
    assertFree(head, slo.slug);
    if (Object.keys(head?.slugs ?? {}).length >= MAX_SLOS)
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_SLOS} SLOs. Delete one first.`);
    const slugs = { ...head?.slugs, [slo.slug]: id };
    const done = await commit(ports, [
      { put: slo, if: 'absent' },
      headWith(context, head, slugs),
      ...auditWrites(undefined, slo),
    ]);
    return done.ok ? slo : RETRY;
  });
}

/** Changes the given properties of an SLO. @throws AppError NOT_FOUND, CONFLICT for the slug of another SLO */
export async function changeSlo(
  context: Context,
  id: string,
  { id: same, check_id, entity_id, ...changes }: SloPatch,
): Promise<SloItem> {
  const { ports } = context;
  const auditWrites = auditWriter(context, 'update', auditedSlo);
  return retryOnConflict(ports, async () => {
    const before = await requireSlo(context, id);
    assertUnchanged({ ...before }, { id: same, check_id, entity_id });
    const next: SloItem = { ...before, ...changes };
    if (isSame(auditedSlo, before, next)) return before;
    const slo = { ...next, v: ports.ids.token(), updated_at: iso(ports.clock.now()) };
    const writes: Write[] = [{ put: slo, if: { version: before.v } }, ...auditWrites(before, slo)];
    if (slo.slug !== before.slug) {
      const head = await readHead(context);
      assertFree(head, slo.slug);
      const { [before.slug]: _before, ...others } = head?.slugs ?? {};
      writes.push(headWith(context, head, { ...others, [slo.slug]: id }));
    }
    return (await commit(ports, writes)).ok ? slo : RETRY;
  });
}

export async function deleteSlo(context: Context, id: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedSlo);
  await retryOnConflict(ports, async () => {
    const [head, slo] = await Promise.all([readHead(context), ports.table.get<SloItem>(keys.slo(tenant, id))]);
    if (!slo) return undefined;
    const { [slo.slug]: _gone, ...slugs } = head?.slugs ?? {};
    const done = await commit(ports, [
      { delete: keys.slo(tenant, id), if: { version: slo.v } },
      headWith(context, head, slugs),
      ...auditWrites(slo, undefined),
    ]);
    return done.ok ? undefined : RETRY;
  });
}
