import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { type Component, componentsOf, type StatusPageItem } from './status-page.ts';

/**
 * A component with its data. `entity`: its entity, or that of its check. `entity` and `check` are undefined if they
 * were deleted or are not set. `measured_by`: its check, or all checks of its entity, also disabled ones.
 */
export type Source = { component: Component; entity?: EntityItem; check?: CheckItem; measured_by: CheckItem[] };

/** Reads entities and checks with strong consistency: their changes trigger publications, which must show them. */
export async function readSources(scope: TenantEnv, page: Pick<StatusPageItem, 'groups'>): Promise<Source[]> {
  const { ports, keys, tenant } = scope;
  const components = componentsOf(page);
  const unique = (ids: readonly (string | null | undefined)[]) => [...new Set(ids.flatMap((id) => id ?? []))];
  const checkIds = unique(components.map(({ check_id }) => check_id));
  const checks = await ports.table.getMany<CheckItem>(checkIds.map((id) => keys.check(tenant, id)));
  const checkOf = new Map(checks.flatMap((check) => (check ? [[check.id, check]] : [])));
  const entityIds = unique([...components.map(({ entity_id }) => entity_id), ...checks.map((one) => one?.entity_id)]);
  const entities = await ports.table.getMany<EntityItem>(entityIds.map((id) => keys.entity(tenant, id)));
  const entityOf = new Map(entities.flatMap((entity) => (entity ? [[entity.id, entity]] : [])));
  const shown = components.flatMap(({ entity_id }) => entityOf.get(entity_id ?? '') ?? []);
  const ofEntities = Map.groupBy(await checksOf(scope, [...new Set(shown)]), ({ entity_id }) => entity_id);
  return components.map((component): Source => {
    const check = checkOf.get(component.check_id ?? '');
    const entity = entityOf.get(check?.entity_id ?? component.entity_id ?? '');
    const own = check ? [check] : (ofEntities.get(entity?.id ?? '') ?? []);
    return { component, ...(entity && { entity }), ...(check && { check }), measured_by: own };
  });
}
