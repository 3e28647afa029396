import type { Scope } from '#lib/access/context.ts';
import { invalid, notFound } from '#lib/platform/errors.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  type Blueprint,
  type BlueprintItem,
  type BlueprintPatch,
  blueprintRecord,
  type CatalogItem,
  mustBeSameFields,
  withFields,
} from './blueprint.ts';
import type { FieldInput } from './field.ts';
import { requireBlueprint } from './store.ts';

/** Changes what is supplied; `is_default: true` moves the mark here. Throws NOT_FOUND, VALIDATION_ERROR. */
export function updateBlueprint(scope: Scope, slug: string, patch: BlueprintPatch): Promise<Blueprint> {
  return change(scope, slug, (blueprint, catalog) => {
    mustStay({ slug: blueprint.slug }, { slug: patch.slug });
    mustBeSameFields(blueprint, patch.fields);
    if (patch.is_default === false && catalog.default_slug === slug) {
      throw invalid('is_default', 'one blueprint is always the default; set is_default: true on another instead');
    }
    return {
      ...blueprint,
      name: patch.name ?? blueprint.name,
      description: patch.description ?? blueprint.description,
      is_default: patch.is_default ?? false,
    };
  });
}

/**
 * Adds a field. Entities that lack it are bound to it from their next write on. Throws NOT_FOUND, CONFLICT,
 * LIMIT_EXCEEDED.
 */
export const addField = (scope: Scope, slug: string, input: FieldInput): Promise<Blueprint> =>
  change(scope, slug, (blueprint) => ({ ...blueprint, fields: withFields(blueprint.fields, [input]) }));

/** Removes a field; its values are not shown from then on. Throws NOT_FOUND. */
export const deleteField = (scope: Scope, slug: string, name: string): Promise<Blueprint> =>
  change(scope, slug, (blueprint) => {
    const fields = blueprint.fields.filter((field) => field.name !== name);
    if (fields.length === blueprint.fields.length) throw notFound(`Field ${name} of blueprint ${slug}`);
    return { ...blueprint, fields };
  });

/** @param edit the new item; with `is_default` the catalog's mark moves along */
async function change(
  scope: Scope,
  slug: string,
  edit: (blueprint: BlueprintItem, catalog: CatalogItem) => BlueprintItem & { is_default?: boolean },
): Promise<Blueprint> {
  const { ports } = scope;
  const v = ports.ids.token();
  return untilDone(ports, async () => {
    const before = await requireBlueprint(scope, slug);
    // A try before did it, whose answer was lost.
    if (before.blueprint.v === v) return blueprintRecord(before.blueprint, before.catalog);
    const { is_default, ...edited } = edit(before.blueprint, before.catalog);
    const blueprint = { ...edited, v, updated_at: iso(ports.clock.now()) };
    const writes: Write[] = [{ put: blueprint, if: { version: before.blueprint.v } }];
    let { catalog } = before;
    if (is_default && catalog.default_slug !== slug) {
      catalog = { ...catalog, v: ports.ids.token(), default_slug: slug };
      writes.push({ put: catalog, if: { version: before.catalog.v } });
    }
    const outcome = await commit(ports, writes);
    return outcome.ok ? blueprintRecord(blueprint, catalog) : AGAIN;
  });
}
