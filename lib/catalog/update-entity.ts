import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import { WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import { mustStay } from '#lib/platform/must-stay.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type Entity, type EntityPatch, entityRecord } from './entity.ts';
import { auditedEntity } from './entity-item.ts';
import { mergeValues } from './field-values.ts';
import { changedLabels } from './labels.ts';
import { endsSooner, withSilence } from './own-silence.ts';
import { requireEntity } from './store.ts';

/**
 * Changes what is supplied; `fields` and `labels` merge per key and a null removes one. A silence that is
 * lifted has what it held back looked at. Every write is validated by the
 * blueprint as it is now; what changes nothing is not written. Throws NOT_FOUND, VALIDATION_ERROR.
 */
export async function updateEntity(
  scope: Context,
  blueprintSlug: string,
  slug: string,
  patch: EntityPatch,
): Promise<Entity> {
  const { ports, tenant } = scope;
  const note = auditing(scope, 'update', auditedEntity);
  return untilDone(ports, async () => {
    const { entity, blueprint } = await requireEntity(scope, blueprintSlug, slug);
    mustStay(
      { id: entity.id, slug: entity.slug, blueprint_slug: entity.blueprint_slug },
      { id: patch.id, slug: patch.slug, blueprint_slug: patch.blueprint_slug },
    );
    const now = ports.clock.now();
    const changed = {
      ...withSilence(entity, patch, now),
      v: ports.ids.token(),
      name: patch.name ?? entity.name,
      fields: mergeValues(blueprint.fields, entity.fields, patch.fields ?? {}),
      labels: changedLabels(entity.labels, patch.labels),
      updated_at: iso(now),
    };
    if (isSame(auditedEntity, entity, changed)) return entityRecord(entity, blueprint, now);
    const wakes = endsSooner(entity, changed, now);
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    const own = { put: changed, if: { version: entity.v } };
    const outcome = await commit(ports, [own, ...note(entity, changed)]);
    if (!outcome.ok) return AGAIN;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return entityRecord(changed, blueprint, now);
  });
}
