import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { acknowledgementOf, type IncidentDetail, incidentRecord } from '#lib/incidents/incident.ts';
import { INCIDENT_ENTITIES, INCIDENT_ENTRIES } from '#lib/keys/prefixes.ts';
import { under } from '#lib/keys.ts';
import type { IncidentEntity, StoredIncident, TimelineItem } from './incident-items.ts';

/** How many are counted, how many are shown, and how much of the timeline is looked through for alerts. */
const MOST_COUNTED = 1000;
const MOST_SHOWN = 100;
const MOST_LOOKED_THROUGH = 1000;

/** An incident with what is part of it, and who was told. */
export async function incidentDetail(context: Context, incident: StoredIncident): Promise<IncidentDetail> {
  const { ports, keys, tenant } = context;
  const { id, root_entity_id } = incident;
  const partition = keys.ofIncident(tenant, id);
  const [parts, timeline] = await Promise.all([
    ports.table.query<IncidentEntity>({ partition, ...under(INCIDENT_ENTITIES), limit: MOST_COUNTED }),
    ports.table.query<TimelineItem>({ partition, ...under(INCIDENT_ENTRIES), limit: MOST_LOOKED_THROUGH }),
  ]);
  const names = new Map(parts.items.map(({ entity_id, entity_name }) => [entity_id, entity_name]));
  const others = parts.items.filter(({ entity_id }) => entity_id !== root_entity_id);
  return {
    ...incidentRecord(incident, ports.clock.now()),
    entities: await entitiesOf(context, incident, names),
    affected: { count: others.length, items: await affectedOf(context, others.slice(0, MOST_SHOWN)) },
    ...alertsIn(timeline.items, incident, names),
    acknowledgement: acknowledgementOf(incident, ports.clock.now()),
  };
}

/** The entities of an incident as they are now, the root first. @param names of those that failed, by id */
async function entitiesOf(
  { ports, keys, tenant }: Context,
  { root_entity_id, root_entity_name, entity_ids = [] }: StoredIncident,
  names: ReadonlyMap<string, string>,
): Promise<IncidentDetail['entities']> {
  const root = root_entity_id === null ? [] : [root_entity_id];
  const ids = [...new Set([...root, ...entity_ids, ...names.keys()])].slice(0, MOST_SHOWN);
  const entities = await ports.table.getMany<EntityItem>(ids.map((id) => keys.entity(tenant, id)));
  return ids.map((entity_id, i) => {
    const entity = entities[i];
    const before = names.get(entity_id) ?? (entity_id === root_entity_id ? root_entity_name : null);
    return {
      entity_id,
      entity_name: entity?.name ?? before ?? '',
      state: entity?.state ?? 'unknown',
      since: entity?.state_since ?? null,
    };
  });
}

async function affectedOf(
  { ports, keys, tenant }: Context,
  parts: IncidentEntity[],
): Promise<IncidentDetail['affected']['items']> {
  const failed = parts.flatMap(({ failure, ...one }) => (failure ? [{ ...one, failure }] : []));
  const transitions = await ports.table.getMany<TransitionItem>(
    failed.map(({ failure }) => ({ pk: keys.ofCheck(tenant, failure.check_id), sk: failure.transition_sk })),
    { eventual: true },
  );
  return failed.map(({ entity_id, entity_name, failure: { check_id, transition_id, since } }, i) => ({
    ...{ entity_id, entity_name, check_id, transition_id, since },
    alert: transitions[i]?.alert.decision ?? null,
  }));
}

/** Who was told that something of it is down, and of what it turned out that it has nothing to do with the root. */
function alertsIn(
  timeline: TimelineItem[],
  { root_entity_id }: StoredIncident,
  names: ReadonlyMap<string, string>,
): Pick<IncidentDetail, 'told' | 'unrelated'> {
  const alerts = timeline.flatMap(({ at, alert }) => (alert?.announces === 'down' ? [{ at, ...alert }] : []));
  const news = alerts.filter(({ alert_kind }) => alert_kind !== 'repeat' && alert_kind !== 'impact');
  const told = news.flatMap(({ at, to }) =>
    [...Map.groupBy(to, ({ channel_type }) => channel_type)].map(([channel_type, some]) => ({
      channel_type,
      channel_ids: some.map(({ channel_id }) => channel_id),
      delivery_id: some[0]!.delivery_id,
      at,
    })),
  );
  const alone = alerts.filter(
    ({ entity_id, root_entity_id: named, alert_kind }) =>
      entity_id !== root_entity_id && named === null && (alert_kind === 'state_change' || alert_kind === 'catch_up'),
  );
  const unrelated = alone.map(({ at, entity_id, check_id }) => ({
    ...{ entity_id, check_id, at },
    entity_name: names.get(entity_id) ?? '',
  }));
  return { told: told.slice(0, MOST_SHOWN), unrelated: unrelated.slice(0, MOST_SHOWN) };
}
