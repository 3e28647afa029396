import * as z from 'zod';
import type { Context, TenantEnv } from '#lib/access/context.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { INCIDENT_ENTITIES, INCIDENT_ENTRIES, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { idFloor, isId, timeOf } from '#lib/platform/ids.ts';
import { Instant } from '#lib/platform/instant.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf, filtered, pagesOf, queryMerged } from '#lib/platform/table/pages.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import {
  acknowledgementOf,
  type IncidentDetail,
  type IncidentEntity,
  type IncidentItem,
  type IncidentRecord,
  IncidentState,
  incidentRecord,
  stateOf,
  type TimelineItem,
} from './incident.ts';

/** Filter of incidents: all properties must match. */
export const IncidentFilter = z.object({
  state: z
    .enum([...IncidentState.options, 'unresolved'])
    .optional()
    .describe('Only incidents in this state; unresolved: open or acknowledged.'),
  origin: z.enum(['automatic', 'manual']).optional().describe('Only incidents of this origin.'),
  entity_id: z
    .string()
    .refine((text) => isId('ent', text), 'must be the id of an entity, which begins with ent_')
    .optional()
    .describe('Only incidents that include this entity.'),
  since: Instant.optional().describe('Only incidents opened at or after this time, in ISO 8601.'),
  until: Instant.optional().describe('Only incidents opened before this time, in ISO 8601.'),
});
export type IncidentFilter = Partial<z.output<typeof IncidentFilter>>;

/** Maximum age in ms of listed incidents. */
const SHOWN_MS = 400 * DAY_MS;

/** Reads incidents, newest first. */
export function incidentList(context: TenantEnv, wanted: IncidentFilter = {}): Reader<IncidentRecord> {
  const { ports, keys, tenant } = context;
  const { state, origin, entity_id, until } = wanted;
  const now = ports.clock.now();
  const since = Math.max(wanted.since ?? 0, now - SHOWN_MS);
  const range = {
    from: idFloor('inc', since),
    to: until === undefined ? undefined : idFloor('inc', until),
    descending: true,
  };
  const isUnresolved = state !== undefined && state !== 'resolved';
  const partitions = keys.buckets.map((bucket) => keys.incidents(tenant, bucket));
  const page = isUnresolved
    ? async (after: string | undefined, limit: number) => {
        const pointers = await ports.table.query<Item>({
          partition: keys.unresolvedIncidents(tenant),
          ...range,
          limit,
          after,
        });
        const ids = pointers.items.map(({ sk }) => keys.incident(tenant, sk));
        const items = (await ports.table.getMany<IncidentItem>(ids)).flatMap((one) => (one ? [one] : []));
        return { ...pointers, items };
      }
    : (after: string | undefined, limit: number) =>
        queryMerged<IncidentItem>(ports.table, partitions, { ...range, limit, after });
  const matches = (incident: IncidentItem): boolean => {
    const current = stateOf(incident, now);
    const isWanted = state === undefined || current === state || (state === 'unresolved' && current !== 'resolved');
    return isWanted && (origin === undefined || incident.origin === origin);
  };
  const isFiltered = state !== undefined || origin !== undefined || entity_id !== undefined;
  const about = entity_id === undefined ? page : withEntity(context, entity_id, page);
  const read = isFiltered ? filtered(about, matches) : about;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    return { ...rest, found: items.map((item) => ({ at: item.sk, value: incidentRecord(item, now) })) };
  };
}

type PageOf = (
  after: string | undefined,
  limit: number,
) => Promise<{ items: IncidentItem[]; next?: string | undefined; scanned?: number }>;

const withEntity =
  ({ ports, keys, tenant }: TenantEnv, entity_id: string, read: PageOf): PageOf =>
  async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    const automatic = items.filter(({ origin }) => origin === 'automatic');
    const parts = await ports.table.getMany(
      automatic.map(({ id }) => keys.incidentEntity(tenant, id, entity_id)),
      {
        eventual: true,
      },
    );
    const ids = new Set(automatic.flatMap(({ id }, i) => (parts[i] ? [id] : [])));
    const about = items.filter((one) => ids.has(one.id) || one.entity_ids?.includes(entity_id));
    return { ...rest, items: about, scanned: items.length };
  };

/** Maximum number of incidents that are read with their entities; each automatic incident costs one query. */
const MAX_WITH_ENTITIES = 1000;
const QUERIES_AT_ONCE = 25;

/** Reads the incidents opened in a range (epoch ms) with the ids of their entities; undefined for more than 1,000. */
export async function incidentsWithEntities(
  { ports, keys, tenant }: TenantEnv,
  { from, to }: TimeRange,
): Promise<{ at: number; entity_ids: string[] }[] | undefined> {
  const partitions = keys.buckets.map((bucket) => keys.incidents(tenant, bucket));
  const range = { from: idFloor('inc', from), to: idFloor('inc', to), eventual: true };
  const { items, next } = await queryMerged<IncidentItem>(ports.table, partitions, {
    ...range,
    limit: MAX_WITH_ENTITIES,
  });
  if (next !== undefined) return undefined;
  const found: { at: number; entity_ids: string[] }[] = [];
  for (const some of chunks(items, QUERIES_AT_ONCE)) {
    const lists = await Promise.all(some.map((incident) => entityIdsOf({ ports, keys, tenant }, incident)));
    found.push(...some.map(({ id }, i) => ({ at: timeOf(id), entity_ids: lists[i]! })));
  }
  return found;
}

async function entityIdsOf(
  { ports, keys, tenant }: TenantEnv,
  { id, origin, entity_ids = [] }: IncidentItem,
): Promise<string[]> {
  if (origin === 'manual') return entity_ids;
  const partition = keys.ofIncident(tenant, id);
  const parts = await allOf<IncidentEntity>(ports.table, { partition, ...under(INCIDENT_ENTITIES), eventual: true });
  return parts.map(({ entity_id }) => entity_id);
}

export async function countUnresolvedIncidents({ ports, keys, tenant }: Context): Promise<number> {
  let count = 0;
  for await (const page of pagesOf(ports.table, { partition: keys.unresolvedIncidents(tenant) })) count += page.length;
  return count;
}

/** Finds an incident. @throws AppError NOT_FOUND */
export async function requireIncident({ ports, keys, tenant }: Context, id: string): Promise<IncidentItem> {
  const incident = isId('inc', id) ? await ports.table.get<IncidentItem>(keys.incident(tenant, id)) : undefined;
  if (!incident) throw notFound(`Incident ${id}`);
  return incident;
}

/** Maximum number of entities of an incident that are counted, and that are returned. */
const MAX_COUNTED = 1000;
const MAX_SHOWN = 100;
/** Maximum number of timeline entries searched for alerts. */
const MAX_SCANNED = 1000;

export async function incidentDetail(context: Context, incident: IncidentItem): Promise<IncidentDetail> {
  const { ports, keys, tenant } = context;
  const { id, root_entity_id } = incident;
  const partition = keys.ofIncident(tenant, id);
  const [parts, timeline] = await Promise.all([
    ports.table.query<IncidentEntity>({ partition, ...under(INCIDENT_ENTITIES), limit: MAX_COUNTED }),
    ports.table.query<TimelineItem>({ partition, ...under(INCIDENT_ENTRIES), limit: MAX_SCANNED }),
  ]);
  const names = new Map(parts.items.map(({ entity_id, entity_name }) => [entity_id, entity_name]));
  const others = parts.items.filter(({ entity_id }) => entity_id !== root_entity_id);
  return {
    ...incidentRecord(incident, ports.clock.now()),
    entities: await entitiesOf(context, incident, names),
    affected: { count: others.length, items: await affectedOf(context, others.slice(0, MAX_SHOWN)) },
    ...alertsIn(timeline.items, incident, names),
    resolves_at: resolvesAt(context, incident, parts.items),
    acknowledgement: acknowledgementOf(incident, ports.clock.now()),
  };
}

/** Returns the end of the quiet time after the last recovery; null if no quiet time is running. */
function resolvesAt({ ports }: Context, { origin, resolved_at }: IncidentItem, parts: IncidentEntity[]): string | null {
  if (origin === 'manual' || resolved_at !== undefined || parts.length === 0) return null;
  if (parts.some(({ down_checks }) => down_checks > 0)) return null;
  return iso(Math.max(...parts.map(({ at }) => at)) + ports.settings.INCIDENT_QUIET_SECONDS * 1000);
}

/** Reads the entities with their current states, the root cause first. @param names names of failed entities by id */
async function entitiesOf(
  { ports, keys, tenant }: Context,
  { root_entity_id, root_entity_name, entity_ids = [] }: IncidentItem,
  names: ReadonlyMap<string, string>,
): Promise<IncidentDetail['entities']> {
  const root = root_entity_id === null ? [] : [root_entity_id];
  const ids = [...new Set([...root, ...entity_ids, ...names.keys()])].slice(0, MAX_SHOWN);
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
  const transitions = await ports.table.getMany<DecidedTransition>(
    failed.map(({ failure }) => ({ pk: keys.ofCheck(tenant, failure.check_id), sk: failure.transition_sk })),
    { eventual: true },
  );
  return failed.map(({ entity_id, entity_name, failure: { check_id, transition_id, since } }, i) => ({
    ...{ entity_id, entity_name, check_id, transition_id, since },
    alert: transitions[i]?.alert.decision ?? null,
  }));
}

/** Finds the notified channels, and the failures that turned out to be unrelated to the root cause. */
function alertsIn(
  timeline: TimelineItem[],
  { root_entity_id }: IncidentItem,
  names: ReadonlyMap<string, string>,
): Pick<IncidentDetail, 'notified' | 'unrelated'> {
  const alerts = timeline.flatMap(({ at, alert }) => (alert?.reports_state === 'down' ? [{ at, ...alert }] : []));
  const withoutFollowUps = alerts.filter(({ alert_kind }) => alert_kind !== 'reminder' && alert_kind !== 'impact');
  const notified = withoutFollowUps.flatMap(({ at, to }) =>
    [...Map.groupBy(to, ({ channel_type }) => channel_type)].map(([channel_type, some]) => ({
      channel_type,
      channel_ids: some.map(({ channel_id }) => channel_id),
      delivery_id: some[0]!.delivery_id,
      at,
    })),
  );
  const separate = alerts.filter(
    ({ entity_id, root_entity_id: named, alert_kind }) =>
      entity_id !== root_entity_id && named === null && (alert_kind === 'state_change' || alert_kind === 'late'),
  );
  const unrelated = separate.map(({ at, entity_id, check_id }) => ({
    ...{ entity_id, check_id, at },
    entity_name: names.get(entity_id) ?? '',
  }));
  return { notified: notified.slice(0, MAX_SHOWN), unrelated: unrelated.slice(0, MAX_SHOWN) };
}
