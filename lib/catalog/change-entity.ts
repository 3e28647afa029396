import type { AccountItem } from '#lib/access/account.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantEnv } from '#lib/access/context.ts';
import { isSame } from '#lib/audit/write.ts';
import { WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { BlueprintItem } from './blueprint.ts';
import { type CheckCountItem, checkCountWrite, NO_LOAD, negated } from './check-count.ts';
import {
  auditedEntity,
  type Entity,
  type EntityItem,
  type EntityPatch,
  entityRecord,
  type NewEntity,
} from './entity.ts';
import { mergeValues } from './field.ts';
import { changedLabels } from './labels.ts';
import { silenceEntryWrites } from './silence-list.ts';
import { endsSooner, withSilence } from './silence-settings.ts';
import { type EntityPointer, requireEntity } from './store.ts';

/** Creates an entity. Throws NOT_FOUND (blueprint), VALIDATION_ERROR, CONFLICT (slug), LIMIT_EXCEEDED. */
export async function createEntity(scope: MutationContext, blueprintSlug: string, input: NewEntity): Promise<Entity> {
  const { ports, keys, tenant } = scope;
  const id = ports.ids.id('ent');
  const v = ports.ids.token();
  const auditWrites = auditWriter(scope, 'create', auditedEntity);
  const attempt = async () => {
    const [account, blueprint, taken] = await ports.table.getMany<[AccountItem, BlueprintItem, EntityPointer]>([
      keys.account(tenant),
      keys.blueprint(tenant, blueprintSlug),
      keys.entitySlug(tenant, blueprintSlug, input.slug),
    ]);
    if (!blueprint) throw notFound(`Blueprint ${blueprintSlug}`);
    const fields = mergeValues(blueprint.fields, {}, input.fields);
    // The same version means an earlier attempt whose response was lost.
    if (taken?.v !== v) {
      if (taken) throw new AppError('CONFLICT', `Blueprint ${blueprintSlug} has an entity ${input.slug} already.`);
      assertEntityLimit(account!, blueprint);
    }

    const now = iso(ports.clock.now());
    const entity: EntityItem = {
      ...keys.entity(tenant, id),
      v,
      tenant_id: tenant,
      id,
      blueprint_slug: blueprintSlug,
      slug: input.slug,
      name: input.name,
      fields,
      labels: input.labels ?? {},
      state: 'unknown',
      state_since: now,
      dependencies: 0,
      dependents: 0,
      checks: {},
      check_load: NO_LOAD,
      seq: 0,
      last_transition_at: 0,
      created_at: now,
      updated_at: now,
    };
    const pointer: EntityPointer = { ...keys.entitySlug(tenant, blueprintSlug, input.slug), v, entity_id: id };
    const counted = { ...blueprint, v: ports.ids.token(), entity_count: blueprint.entity_count + 1 };
    const outcome = await commit(ports, [
      { put: entity, if: 'absent' },
      { put: pointer, if: 'absent' },
      { put: counted, if: { version: blueprint.v } },
      ...auditWrites(undefined, entity),
    ]);
    return outcome.ok ? entityRecord(entity, blueprint, Date.parse(now)) : RETRY;
  };
  return oneAtATime(ports.table, keys.entitySlugs(tenant, blueprintSlug), () => retryOnConflict(ports, attempt));
}

function assertEntityLimit({ entity_limit_per_bp }: AccountItem, { slug, entity_count }: BlueprintItem): void {
  if (entity_count < entity_limit_per_bp) return;
  const allowed = `The account may have ${entity_limit_per_bp} entities of one blueprint, and ${slug} has ${entity_count}.`;
  throw new AppError('LIMIT_EXCEEDED', `${allowed} Delete one or ask the operator for more.`);
}

/** Updates an entity. Ending a silence early rechecks its suppressed alerts. Throws NOT_FOUND, VALIDATION_ERROR. */
export async function updateEntity(
  scope: Context,
  blueprintSlug: string,
  slug: string,
  patch: EntityPatch,
): Promise<Entity> {
  const { ports, tenant } = scope;
  const auditWrites = auditWriter(scope, 'update', auditedEntity);
  return retryOnConflict(ports, async () => {
    const { entity, blueprint } = await requireEntity(scope, blueprintSlug, slug);
    assertUnchanged(
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
    const listed = silenceEntryWrites(scope, { entity_id: entity.id }, entity, changed);
    const outcome = await commit(ports, [own, ...listed, ...auditWrites(entity, changed)]);
    if (!outcome.ok) return RETRY;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return entityRecord(changed, blueprint, now);
  });
}

type DeleteContext = TenantEnv & MutationContext;

/**
 * Deletes an entity and all its checks in one transaction; afterwards none of them is visible. Relations, policies,
 * channels and schedule entries are reclaimed in the background. Its incident, and alerts suppressed or held
 * because of it, are rechecked. Returns the ids of the deleted checks. Throws NOT_FOUND.
 */
export async function deleteEntity(context: DeleteContext, blueprintSlug: string, slug: string): Promise<string[]> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedEntity);
  const sent = new Set<string | undefined>();
  return retryOnConflict(ports, async () => {
    const { entity, blueprint } = await requireEntity(context, blueprintSlug, slug);
    const checks = Object.keys(entity.checks);
    const unsent = [undefined, ...checks].filter((id) => !sent.has(id));
    await sendReclaims(context, entity.id, unsent);
    const now = ports.clock.now();
    const wakes = entity.dependents > 0;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    for (const id of unsent) sent.add(id);
    if (entity.incident) {
      const body = { tenant_id: tenant, incident_id: entity.incident.id };
      await ports.queues.send('incident', [{ body, not_before: now + WRITTEN_MS, group: tenant }]);
    }

    const count = checks.length > 0 ? await ports.table.get<CheckCountItem>(keys.checkCount(tenant)) : undefined;
    const counted = { ...blueprint, v: ports.ids.token(), entity_count: blueprint.entity_count - 1 };
    const outcome = await commit(ports, [
      { put: counted, if: { version: blueprint.v } },
      // Adding a check writes the entity, so this version contains all its checks.
      { delete: { pk: entity.pk, sk: entity.sk }, if: { version: entity.v } },
      { delete: keys.entitySlug(tenant, blueprintSlug, slug) },
      ...(entity.silenced ? [{ delete: keys.silence(tenant, entity.id) }] : []),
      ...checks.map((id) => ({ delete: keys.check(tenant, id) })),
      ...(checks.length > 0
        ? [checkCountWrite(context, count, { checks: -checks.length, load: negated(entity.check_load) })]
        : []),
      ...auditWrites(entity, undefined),
    ]);
    if (!outcome.ok) return RETRY;
    if (wakes) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    return checks;
  });
}

/** Sends the messages that reclaim items later. @param targets ids of checks; undefined for the entity itself */
async function sendReclaims(
  { ports, tenant }: DeleteContext,
  entity_id: string,
  targets: (string | undefined)[],
): Promise<void> {
  if (targets.length === 0) return;
  const not_before = ports.clock.now() + RECLAIM_AFTER_MS;
  await ports.queues.send(
    'housekeeping',
    targets.map((check_id) => ({ body: { tenant_id: tenant, entity_id, check_id }, not_before, group: tenant })),
  );
}
