import type { TenantEnv } from '#lib/access/context.ts';
import type { Verdict } from '#lib/alerting/cause/verdict.ts';
import type { Look } from '#lib/alerting/cause/wait.ts';
import type { Search } from '#lib/alerting/deadlines/dependency-hold.ts';
import type { AlertRoot } from '#lib/alerting/decide/alert-item.ts';
import { type IncidentItem, incidentOf, ownIncident } from '#lib/alerting/decide/notified-failure.ts';
import type { IncidentRef } from '#lib/catalog/entity-item.ts';
import { iso } from '#lib/platform/time.ts';
import { incidentsAt } from './incidents-at.ts';

/** The cause that an alert names, with who was told of it. */
type NamedRoot = { incident: IncidentItem; named: AlertRoot };

/** What a look at a held alert has to do with incidents. */
export type LookIncidents = {
  root: NamedRoot | undefined;
  /** The failure of the entity itself, where others depend on it in their turn. */
  own: IncidentItem | undefined;
  /** The one that the entity is part of from now on; undefined while its cause is not known. */
  partOf: IncidentRef | undefined;
};

/** Pure but for the keys. */
export function incidentsOfLook(env: TenantEnv, search: Search, verdict: Verdict, seen: Look): LookIncidents {
  const own = ownOf(env, search);
  return { root: rootIn(env, search, verdict, seen), own, partOf: partOf(env, search, verdict, seen) };
}

function rootIn(
  { keys }: TenantEnv,
  { one: { check }, ancestry }: Search,
  verdict: Verdict,
  { root }: Look,
): NamedRoot | undefined {
  const entity = root === null ? undefined : ancestry.entities.get(root);
  const incident = entity && incidentsAt(keys, check, ancestry, verdict).get(entity.id);
  if (!entity || !incident) return undefined;
  const { id: entity_id, name: entity_name, state } = entity;
  return { incident, named: { entity_id, entity_name, state, since: iso(incident.since) } };
}

function ownOf({ keys }: TenantEnv, { one, ancestry }: Search): IncidentItem | undefined {
  const { check, entity, transition } = one;
  if (entity.dependents === 0) return undefined;
  const before = ancestry.incidents.get(entity.id);
  const { id } = ownIncident(entity, before, transition);
  const since = check.effective_at ?? Date.parse(check.state_since);
  return incidentOf(keys, before, { tenant_id: check.tenant_id, root_entity_id: entity.id, id }, since);
}

/** That of the cause under which it is told or withheld; its own, where it is told and nothing explains it. */
function partOf({ keys }: TenantEnv, { one, ancestry }: Search, verdict: Verdict, seen: Look): IncidentRef | undefined {
  const { check, entity, transition } = one;
  if (entity.incident) return entity.incident;
  // While the alert of the root itself is held, that may yet turn out to follow from another.
  const cause = seen.root ?? (seen.hold.explained > 0 ? seen.hold.under : null);
  const incident = cause === null ? undefined : incidentsAt(keys, check, ancestry, verdict).get(cause);
  if (incident) return ancestry.entities.get(cause!)?.incident ?? { id: incident.id, root_entity_id: cause! };
  return seen.tell.length > 0 ? ownIncident(entity, ancestry.incidents.get(entity.id), transition) : undefined;
}
