import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Acknowledgement } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { StoredIncident } from './incident-items.ts';
import { acknowledgementOf } from './incident-record.ts';
import { timelineEntry } from './resolve.ts';

type TableEnv = Env<'table' | 'clock'>;

/** The writes by which somebody looks after an incident: itself, and its entry. */
export function acknowledgedWrites(
  { keys }: Pick<Env, 'keys'>,
  incident: StoredIncident,
  acknowledgement: Acknowledgement,
  v: string,
): Write[] {
  const { by, at, note } = acknowledgement;
  const id = derivedId('evt', at, incident.id, 'acknowledged', by);
  const entry = timelineEntry({ keys }, incident, { id, at: iso(at), kind: 'acknowledged', by, text: note });
  const put = { ...incident, acknowledgement, v, updated_at: iso(at) };
  return [{ put, if: { version: incident.v } }, { put: entry }];
}

/** The same where a check of its root is acknowledged; none where that is part of no incident, or somebody does. */
export async function rootAcknowledged(
  { ports, keys }: TableEnv,
  entity: EntityItem,
  acknowledgement: Acknowledgement,
  v: string,
): Promise<Write[]> {
  const incident = await incidentOfRoot({ ports, keys }, entity);
  if (!incident || acknowledgementOf(incident, ports.clock.now())) return [];
  return acknowledgedWrites({ keys }, incident, acknowledgement, v);
}

/** The write by which nobody looks after it any more, where the check of its root was the one. */
export async function rootTakenBack(env: TableEnv, entity: EntityItem, v: string): Promise<Write[]> {
  const incident = await incidentOfRoot(env, entity);
  if (!incident?.acknowledgement) return [];
  const { acknowledgement: _before, ...rest } = incident;
  const put = { ...rest, v, updated_at: iso(env.ports.clock.now()) };
  return [{ put, if: { version: incident.v } }];
}

/** The incident that an entity is the root of. */
async function incidentOfRoot({ ports, keys }: TableEnv, entity: EntityItem): Promise<StoredIncident | undefined> {
  const { id, tenant_id, incident } = entity;
  if (incident?.root_entity_id !== id) return undefined;
  const stored = await ports.table.get<StoredIncident>(keys.incidentRecord(tenant_id, incident.id));
  return stored?.resolved_at === undefined ? stored : undefined;
}
