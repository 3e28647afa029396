import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { auditedBlueprint, blueprintRecord, type CatalogItem } from './blueprint.ts';
import { allBlueprints, requireBlueprint } from './store.ts';

/**
 * Deletes a blueprint without entities. When it was the default, the oldest of the others becomes it. Throws
 * NOT_FOUND, and CONFLICT while it has entities.
 */
export async function deleteBlueprint(scope: Changing, slug: string): Promise<void> {
  const { ports } = scope;
  const note = auditing(scope, 'delete', auditedBlueprint);
  await untilDone(ports, async () => {
    const { blueprint, catalog } = await requireBlueprint(scope, slug);
    if (blueprint.entity_count > 0) {
      throw new AppError('CONFLICT', `Blueprint ${slug} has ${blueprint.entity_count} entities. Delete them first.`);
    }
    const after: CatalogItem = {
      ...catalog,
      v: ports.ids.token(),
      default_slug: catalog.default_slug === slug ? await oldestBut(scope, slug) : catalog.default_slug,
      blueprint_count: catalog.blueprint_count - 1,
    };
    const outcome = await commit(ports, [
      { put: after, if: { version: catalog.v } },
      { delete: { pk: blueprint.pk, sk: blueprint.sk }, if: { version: blueprint.v } },
      ...note(blueprintRecord(blueprint, catalog), undefined),
    ]);
    return outcome.ok ? true : AGAIN;
  });
}

async function oldestBut(scope: Changing, slug: string): Promise<string | null> {
  const others = [...(await allBlueprints(scope)).values()].filter((blueprint) => blueprint.slug !== slug);
  const oldest = others.reduce<(typeof others)[number] | undefined>(
    (a, b) => (a && a.created_at <= b.created_at ? a : b),
    undefined,
  );
  return oldest?.slug ?? null;
}
