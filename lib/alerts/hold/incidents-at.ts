import type { Ancestry } from '#lib/alerting/cause/find-cause.ts';
import type { Verdict } from '#lib/alerting/cause/verdict.ts';
import { type IncidentItem, incidentOf } from '#lib/alerting/decide/notified-failure.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';

/** Of each failure as it stands: one that began anew is not the one that was told of before. */
export function incidentsAt(
  keys: Keys,
  { tenant_id, entity_id }: Pick<CheckItem, 'tenant_id' | 'entity_id'>,
  { entities, incidents }: Ancestry,
  { roots }: Verdict,
): Map<string, IncidentItem> {
  const present = new Map([...incidents].filter(([id]) => id !== entity_id));
  for (const { entity_id: root_entity_id, since } of roots) {
    const of = { tenant_id, root_entity_id, id: entities.get(root_entity_id)?.incident?.id };
    present.set(root_entity_id, incidentOf(keys, incidents.get(root_entity_id), of, since));
  }
  return present;
}
