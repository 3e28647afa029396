import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type Entity, type EntityPatch, entityRecord } from './entity.ts';
import { auditedEntity } from './entity-item.ts';
import { mergeValues } from './field-values.ts';
import { changedLabels } from './labels.ts';
import { requireEntity } from './store.ts';

/**
 * Changes what is supplied; `fields` and `labels` merge per key and a null removes one. Every write is validated by the
 * blueprint as it is now; what changes nothing is not written. Throws NOT_FOUND, VALIDATION_ERROR.
 */
export async function updateEntity(
  scope: Changing,
  blueprintSlug: string,
  slug: string,
  patch: EntityPatch,
): Promise<Entity> {
  const { ports } = scope;
  const note = auditing(scope, 'update', auditedEntity);
  return untilDone(ports, async () => {
    const { entity, blueprint } = await requireEntity(scope, blueprintSlug, slug);
    mustStay(
      { id: entity.id, slug: entity.slug, blueprint_slug: entity.blueprint_slug },
      { id: patch.id, slug: patch.slug, blueprint_slug: patch.blueprint_slug },
    );
    const changed = {
      ...entity,
      v: ports.ids.token(),
      name: patch.name ?? entity.name,
      fields: mergeValues(blueprint.fields, entity.fields, patch.fields ?? {}),
      labels: changedLabels(entity.labels, patch.labels),
      updated_at: iso(ports.clock.now()),
    };
    if (isSame(auditedEntity, entity, changed)) return entityRecord(entity, blueprint);
    const own = { put: changed, if: { version: entity.v } };
    const outcome = await commit(ports, [own, ...note(entity, changed)]);
    return outcome.ok ? entityRecord(changed, blueprint) : AGAIN;
  });
}
