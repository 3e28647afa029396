import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Acknowledgement } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { acknowledgementOf, type IncidentItem, type TimelineItem } from './incident.ts';
import { entryOfEvent } from './timeline.ts';

type TableEnv = Env<'table' | 'clock'>;

/** Returns the writes of an acknowledged incident: the record and its timeline entry. */
export function acknowledgedWrites(
  { keys }: Pick<Env, 'keys'>,
  incident: IncidentItem,
  acknowledgement: Acknowledgement,
  v: string,
): Write[] {
  const put = { ...incident, acknowledgement, v, updated_at: iso(acknowledgement.at) };
  return [{ put, if: { version: incident.v } }, { put: acknowledgedEntry({ keys }, incident, acknowledgement) }];
}

export function acknowledgedEntry(
  { keys }: Pick<Env, 'keys'>,
  incident: IncidentItem,
  { by, at, note }: Acknowledgement,
): TimelineItem {
  const id = derivedId('evt', at, incident.id, 'acknowledged', by);
  return entryOfEvent({ keys }, incident, { id, at: iso(at), kind: 'acknowledged', by, text: note });
}

/**
 * Returns the writes that acknowledge the unresolved, unacknowledged incident whose root cause is the entity, if any.
 * If it is not stored yet, the write only checks this: a new incident takes over the acknowledgement of its check.
 */
export async function rootAcknowledgeWrites(
  { ports, keys }: TableEnv,
  entity: EntityItem,
  acknowledgement: Acknowledgement,
  v: string,
): Promise<Write[]> {
  const key = rootIncidentKey(keys, entity);
  if (!key) return [];
  const incident = await ports.table.get<IncidentItem>(key);
  if (!incident) return [{ check: key, if: 'absent' }];
  if (incident.resolved_at !== undefined || acknowledgementOf(incident, ports.clock.now())) return [];
  return acknowledgedWrites({ keys }, incident, acknowledgement, v);
}

/**
 * Returns the writes that remove the acknowledgement of the unresolved incident of which the entity is the root cause;
 * empty without one. If the incident is not stored yet, the write only checks this.
 */
export async function rootUnacknowledgeWrites(
  { ports, keys }: TableEnv,
  entity: EntityItem,
  v: string,
): Promise<Write[]> {
  const key = rootIncidentKey(keys, entity);
  if (!key) return [];
  const incident = await ports.table.get<IncidentItem>(key);
  if (!incident) return [{ check: key, if: 'absent' }];
  if (!incident.acknowledgement || incident.resolved_at !== undefined) return [];
  const { acknowledgement: _before, ...rest } = incident;
  const put = { ...rest, v, updated_at: iso(ports.clock.now()) };
  return [{ put, if: { version: incident.v } }];
}

/** Returns the key of the incident of an entity; undefined unless the entity is its root cause. */
const rootIncidentKey = (keys: Keys, { id, tenant_id, incident }: EntityItem): Key | undefined =>
  incident?.root_entity_id === id ? keys.incident(tenant_id, incident.id) : undefined;
