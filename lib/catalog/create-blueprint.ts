import type { AccountItem } from '#lib/access/account.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  auditedBlueprint,
  type Blueprint,
  type BlueprintItem,
  blueprintRecord,
  type CatalogItem,
  type NewBlueprint,
  withFields,
} from './blueprint.ts';
import { noCatalog } from './store.ts';

/**
 * A new blueprint; the first of a tenant is the default. Throws CONFLICT for a taken slug or a field name given twice,
 * LIMIT_EXCEEDED.
 */
export async function createBlueprint(scope: Changing, input: NewBlueprint): Promise<Blueprint> {
  const { ports, keys, tenant } = scope;
  const fields = withFields([], input.fields);
  const v = ports.ids.token();
  const note = auditing(scope, 'create', auditedBlueprint);
  const attempt = async () => {
    const [account, present, taken] = await ports.table.getMany<[AccountItem, CatalogItem, BlueprintItem]>([
      keys.account(tenant),
      keys.catalog(tenant),
      keys.blueprint(tenant, input.slug),
    ]);
    const before = present ?? noCatalog(keys, tenant);
    // With one's own version it was made by a try before, whose answer was lost.
    if (taken?.v !== v) {
      if (taken) throw new AppError('CONFLICT', `There is a blueprint ${input.slug} already.`);
      mustHaveRoom(account!, before);
    }

    const now = iso(ports.clock.now());
    const blueprint: BlueprintItem = {
      ...keys.blueprint(tenant, input.slug),
      v,
      tenant_id: tenant,
      slug: input.slug,
      name: input.name,
      description: input.description,
      fields,
      entity_count: 0,
      created_at: now,
      updated_at: now,
    };
    const catalog: CatalogItem = {
      ...before,
      v: ports.ids.token(),
      default_slug: input.is_default || before.default_slug === null ? input.slug : before.default_slug,
      blueprint_count: before.blueprint_count + 1,
    };
    const made = blueprintRecord(blueprint, catalog);
    const outcome = await commit(ports, [
      { put: blueprint, if: 'absent' },
      { put: catalog, if: present ? { version: before.v } : 'absent' },
      ...note(undefined, made),
    ]);
    return outcome.ok ? made : AGAIN;
  };
  return oneAtATime(ports.table, keys.blueprints(tenant), () => untilDone(ports, attempt));
}

function mustHaveRoom({ blueprint_limit }: AccountItem, { blueprint_count }: CatalogItem): void {
  if (blueprint_count < blueprint_limit) return;
  throw new AppError('LIMIT_EXCEEDED', `The plan allows ${blueprint_limit} blueprints. Delete one or ask for more.`);
}
