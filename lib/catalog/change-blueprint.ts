import type { AccountItem } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { MutationContext } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  assertSameFields,
  auditedBlueprint,
  auditedField,
  type Blueprint,
  type BlueprintItem,
  type BlueprintPatch,
  blueprintRecord,
  type CatalogItem,
  type NewBlueprint,
  withChangedField,
  withFields,
} from './blueprint.ts';
import type { FieldInput } from './field.ts';
import { allBlueprints, emptyCatalog, requireBlueprint } from './store.ts';

/** Updates a blueprint; `is_default: true` makes it the default. Throws NOT_FOUND, VALIDATION_ERROR. */
export function updateBlueprint(scope: MutationContext, slug: string, patch: BlueprintPatch): Promise<Blueprint> {
  const edit: Edit = (blueprint, catalog) => {
    assertUnchanged({ slug: blueprint.slug }, { slug: patch.slug });
    assertSameFields(blueprint, patch.fields);
    if (patch.is_default === false && catalog.default_slug === slug) {
      throw invalid('is_default', 'one blueprint is always the default; set is_default: true on another instead');
    }
    return {
      ...blueprint,
      name: patch.name ?? blueprint.name,
      description: patch.description ?? blueprint.description,
      is_default: patch.is_default ?? false,
    };
  };
  return change(scope, slug, edit, auditWriter(scope, 'update', auditedBlueprint));
}

/** Adds a field; each entity is validated against it at its next update. Throws NOT_FOUND, CONFLICT, LIMIT_EXCEEDED. */
export function addField(scope: MutationContext, slug: string, input: FieldInput): Promise<Blueprint> {
  const edit: Edit = (blueprint) => ({ ...blueprint, fields: withFields(blueprint.fields, [input]) });
  const auditWrites = auditWriter(scope, 'add', auditedField);
  return change(scope, slug, edit, (_, after) => auditWrites(undefined, fieldOf(after, input.name)));
}

/** Replaces a field; values of another type are hidden. Throws NOT_FOUND, VALIDATION_ERROR, LIMIT_EXCEEDED. */
export function changeField(scope: MutationContext, slug: string, name: string, input: FieldInput): Promise<Blueprint> {
  const edit: Edit = (blueprint) => {
    const old = blueprint.fields.find((field) => field.name === name);
    if (!old) throw notFound(`Field ${name} of blueprint ${slug}`);
    assertUnchanged({ name }, { name: input.name });
    return { ...blueprint, fields: withChangedField(blueprint.fields, old, input) };
  };
  const auditWrites = auditWriter(scope, 'update', auditedField);
  return change(scope, slug, edit, (before, after) => auditWrites(fieldOf(before, name), fieldOf(after, name)));
}

/** Removes a field and hides its values. Throws NOT_FOUND. */
export function deleteField(scope: MutationContext, slug: string, name: string): Promise<Blueprint> {
  const edit: Edit = (blueprint) => {
    const fields = blueprint.fields.filter((field) => field.name !== name);
    if (fields.length === blueprint.fields.length) throw notFound(`Field ${name} of blueprint ${slug}`);
    return { ...blueprint, fields };
  };
  const auditWrites = auditWriter(scope, 'remove', auditedField);
  return change(scope, slug, edit, (before) => auditWrites(fieldOf(before, name), undefined));
}

const fieldOf = ({ slug, fields }: Blueprint, wanted: string) => ({
  slug,
  ...fields.find(({ name }) => name === wanted)!,
});

type Edit = (blueprint: BlueprintItem, catalog: CatalogItem) => BlueprintItem & { is_default?: boolean };

async function change(
  scope: MutationContext,
  slug: string,
  edit: Edit,
  auditWrites: (before: Blueprint, after: Blueprint) => Write[],
): Promise<Blueprint> {
  const { ports } = scope;
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const before = await requireBlueprint(scope, slug);
    // The same version means an earlier attempt whose response was lost.
    if (before.blueprint.v === v) return blueprintRecord(before.blueprint, before.catalog);
    const { is_default, ...edited } = edit(before.blueprint, before.catalog);
    const blueprint = { ...edited, v, updated_at: iso(ports.clock.now()) };
    const writes: Write[] = [{ put: blueprint, if: { version: before.blueprint.v } }];
    let { catalog } = before;
    if (is_default && catalog.default_slug !== slug) {
      catalog = { ...catalog, v: ports.ids.token(), default_slug: slug };
      writes.push({ put: catalog, if: { version: before.catalog.v } });
    }
    const [old, next] = [blueprintRecord(before.blueprint, before.catalog), blueprintRecord(blueprint, catalog)];
    if (isSame(auditedBlueprint, old, next)) return old;
    const outcome = await commit(ports, [...writes, ...auditWrites(old, next)]);
    return outcome.ok ? next : RETRY;
  });
}

/** Creates a blueprint; a tenant's first is the default. Throws CONFLICT (slug, field name), LIMIT_EXCEEDED. */
export async function createBlueprint(scope: MutationContext, input: NewBlueprint): Promise<Blueprint> {
  const { ports, keys, tenant } = scope;
  const fields = withFields([], input.fields);
  const v = ports.ids.token();
  const auditWrites = auditWriter(scope, 'create', auditedBlueprint);
  const attempt = async () => {
    const [account, present, taken] = await ports.table.getMany<[AccountItem, CatalogItem, BlueprintItem]>([
      keys.account(tenant),
      keys.catalog(tenant),
      keys.blueprint(tenant, input.slug),
    ]);
    const before = present ?? emptyCatalog(keys, tenant);
    // The same version means an earlier attempt whose response was lost.
    if (taken?.v !== v) {
      if (taken) throw new AppError('CONFLICT', `There is a blueprint ${input.slug} already.`);
      assertBlueprintLimit(account!, before);
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
      ...auditWrites(undefined, made),
    ]);
    return outcome.ok ? made : RETRY;
  };
  return oneAtATime(ports.table, keys.blueprints(tenant), () => retryOnConflict(ports, attempt));
}

function assertBlueprintLimit({ blueprint_limit }: AccountItem, { blueprint_count }: CatalogItem): void {
  if (blueprint_count < blueprint_limit) return;
  throw new AppError(
    'LIMIT_EXCEEDED',
    `The account has the maximum of ${blueprint_limit} blueprints. Delete one or ask the operator for more.`,
  );
}

/** Deletes a blueprint without entities; the oldest other replaces it as the default. Throws NOT_FOUND, CONFLICT. */
export async function deleteBlueprint(scope: MutationContext, slug: string): Promise<void> {
  const { ports } = scope;
  const auditWrites = auditWriter(scope, 'delete', auditedBlueprint);
  await retryOnConflict(ports, async () => {
    const { blueprint, catalog } = await requireBlueprint(scope, slug);
    if (blueprint.entity_count > 0) {
      throw new AppError('CONFLICT', `Blueprint ${slug} has ${blueprint.entity_count} entities. Delete them first.`);
    }
    const after: CatalogItem = {
      ...catalog,
      v: ports.ids.token(),
      default_slug: catalog.default_slug === slug ? await oldestExcept(scope, slug) : catalog.default_slug,
      blueprint_count: catalog.blueprint_count - 1,
    };
    const outcome = await commit(ports, [
      { put: after, if: { version: catalog.v } },
      { delete: { pk: blueprint.pk, sk: blueprint.sk }, if: { version: blueprint.v } },
      ...auditWrites(blueprintRecord(blueprint, catalog), undefined),
    ]);
    return outcome.ok ? true : RETRY;
  });
}

async function oldestExcept(scope: MutationContext, slug: string): Promise<string | null> {
  const others = [...(await allBlueprints(scope)).values()].filter((blueprint) => blueprint.slug !== slug);
  const oldest = others.reduce<(typeof others)[number] | undefined>(
    (a, b) => (a && a.created_at <= b.created_at ? a : b),
    undefined,
  );
  return oldest?.slug ?? null;
}
