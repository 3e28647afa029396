import type { AccountItem } from '#lib/access/account.ts';
import { auditing } from '#lib/access/auditing.ts';
import type { Changing } from '#lib/access/context.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import { oneAtATime } from '#lib/platform/table/lock.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import type { BlueprintItem } from './blueprint.ts';
import { type Entity, entityRecord, type NewEntity } from './entity.ts';
import { auditedEntity, type EntityItem } from './entity-item.ts';
import { mergeValues } from './field-values.ts';
import type { EntityPointer } from './store.ts';

/** A new entity without checks. Throws NOT_FOUND (blueprint), VALIDATION_ERROR, CONFLICT (slug), LIMIT_EXCEEDED. */
export async function createEntity(scope: Changing, blueprintSlug: string, input: NewEntity): Promise<Entity> {
  const { ports, keys, tenant } = scope;
  const id = ports.ids.id('ent');
  const v = ports.ids.token();
  const note = auditing(scope, 'create', auditedEntity);
  const attempt = async () => {
    const [account, blueprint, taken] = await ports.table.getMany<[AccountItem, BlueprintItem, EntityPointer]>([
      keys.account(tenant),
      keys.blueprint(tenant, blueprintSlug),
      keys.entitySlug(tenant, blueprintSlug, input.slug),
    ]);
    if (!blueprint) throw notFound(`Blueprint ${blueprintSlug}`);
    const fields = mergeValues(blueprint.fields, {}, input.fields);
    // With one's own version it was made by a try before, whose answer was lost.
    if (taken?.v !== v) {
      if (taken) throw new AppError('CONFLICT', `Blueprint ${blueprintSlug} has an entity ${input.slug} already.`);
      mustHaveRoom(account!, blueprint);
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
      checks: {},
      check_load: 0,
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
      ...note(undefined, entity),
    ]);
    return outcome.ok ? entityRecord(entity, blueprint, Date.parse(now)) : AGAIN;
  };
  return oneAtATime(ports.table, keys.entitySlugs(tenant, blueprintSlug), () => untilDone(ports, attempt));
}

function mustHaveRoom({ entity_limit_per_bp }: AccountItem, { slug, entity_count }: BlueprintItem): void {
  if (entity_count < entity_limit_per_bp) return;
  const allowed = `The plan allows ${entity_limit_per_bp} entities of one blueprint, and ${slug} has ${entity_count}.`;
  throw new AppError('LIMIT_EXCEEDED', `${allowed} Delete one or ask for more.`);
}
