import { auditing } from '#lib/access/auditing.ts';
import type { Changing, TenantEnv } from '#lib/access/context.ts';
import { WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import { RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { type CheckCountItem, countChecks } from './check-count.ts';
import { auditedEntity } from './entity-item.ts';
import { requireEntity } from './store.ts';

type Deleting = TenantEnv & Changing;

/**
 * Deletes an entity and all its checks in one transaction: from its return on, nothing of them is visible. Relations,
 * policies, channels and entries of the schedule are reclaimed in the background. Alerts that are held as they follow
 * from its failure are looked at again, and so is its incident, which may be over with it. Throws NOT_FOUND.
 * @returns the ids of the checks that went with it
 */
export async function deleteEntity(context: Deleting, blueprintSlug: string, slug: string): Promise<string[]> {
  const { ports, keys, tenant } = context;
  const note = auditing(context, 'delete', auditedEntity);
  const announced = new Set<string | undefined>();
  return untilDone(ports, async () => {
    const { entity, blueprint } = await requireEntity(context, blueprintSlug, slug);
    const checks = Object.keys(entity.checks);
    const left = [undefined, ...checks].filter((id) => !announced.has(id));
    await sendReclaims(context, entity.id, left);
    const now = ports.clock.now();
    const wakes = entity.dependents > 0;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    for (const id of left) announced.add(id);
    if (entity.incident) {
      const body = { tenant_id: tenant, incident_id: entity.incident.id };
      await ports.queues.send('incident', [{ body, not_before: now + WRITTEN_MS, group: tenant }]);
    }

    const count = checks.length > 0 ? await ports.table.get<CheckCountItem>(keys.checkCount(tenant)) : undefined;
    const counted = { ...blueprint, v: ports.ids.token(), entity_count: blueprint.entity_count - 1 };
    const outcome = await commit(ports, [
      { put: counted, if: { version: blueprint.v } },
      // Adding a check writes the entity, so that this version holds all its checks.
      { delete: { pk: entity.pk, sk: entity.sk }, if: { version: entity.v } },
      { delete: keys.entitySlug(tenant, blueprintSlug, slug) },
      ...checks.map((id) => ({ delete: keys.check(tenant, id) })),
      ...(checks.length > 0 ? [countChecks(context, count, { checks: -checks.length, load: -entity.check_load })] : []),
      ...note(entity, undefined),
    ]);
    if (!outcome.ok) return AGAIN;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return checks;
  });
}

/** @param left ids of checks; undefined means the entity itself */
async function sendReclaims(
  { ports, tenant }: Deleting,
  entity_id: string,
  left: (string | undefined)[],
): Promise<void> {
  if (left.length === 0) return;
  const not_before = ports.clock.now() + RECLAIM_AFTER_MS;
  await ports.queues.send(
    'reclaim',
    left.map((check_id) => ({ body: { tenant_id: tenant, entity_id, check_id }, not_before, group: tenant })),
  );
}
