import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { StoredIncident } from '#lib/alerts/incidents/incident-items.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { idFloor, isId } from '#lib/platform/ids.ts';
import { Instant } from '#lib/platform/instant.ts';
import type { Item } from '#lib/platform/ports.ts';
import { filtered } from '#lib/platform/table/filtered.ts';
import { queryMerged } from '#lib/platform/table/merge.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { type IncidentRecord, IncidentState, incidentRecord, stateOf } from './incident.ts';

/**
 * Access patterns, newest first:
 * - incidents: query incidents(tenant, bucket), merged
 * - those that are not over: query openIncidents(tenant), then get many
 * - those of an entity: the same, then get many incidentEntity
 */

/** What is looked for among incidents; all of it must hold. */
export const IncidentFilter = z.object({
  state: z
    .enum([...IncidentState.options, 'unresolved'])
    .optional()
    .describe('Only those in this state; unresolved: open or acknowledged.'),
  origin: z.enum(['automatic', 'manual']).optional().describe('Only those that came about so.'),
  entity_id: z
    .string()
    .refine((text) => isId('ent', text), 'must be the id of an entity, which begins with ent_')
    .optional()
    .describe('Only those that this entity is part of.'),
  since: Instant.optional().describe('Opened then or later: an ISO 8601 time.'),
  until: Instant.optional().describe('Opened before then: an ISO 8601 time.'),
});
export type IncidentFilter = Partial<z.output<typeof IncidentFilter>>;

/** An incident is shown for so long (ms). */
const SHOWN_MS = 400 * DAY_MS;

/** Reads incidents, newest first. */
export function incidentList(context: Context, wanted: IncidentFilter = {}): Reader<IncidentRecord> {
  const { ports, keys, tenant } = context;
  const { state, origin, entity_id, until } = wanted;
  const now = ports.clock.now();
  const since = Math.max(wanted.since ?? 0, now - SHOWN_MS);
  const range = {
    from: idFloor('inc', since),
    to: until === undefined ? undefined : idFloor('inc', until),
    descending: true,
  };
  const isOpen = state !== undefined && state !== 'resolved';
  const partitions = keys.buckets.map((bucket) => keys.incidents(tenant, bucket));
  const page = isOpen
    ? async (after: string | undefined, limit: number) => {
        const pointers = await ports.table.query<Item>({
          partition: keys.openIncidents(tenant),
          ...range,
          limit,
          after,
        });
        const ids = pointers.items.map(({ sk }) => keys.incidentRecord(tenant, sk));
        const items = (await ports.table.getMany<StoredIncident>(ids)).flatMap((one) => (one ? [one] : []));
        return { ...pointers, items };
      }
    : (after: string | undefined, limit: number) =>
        queryMerged<StoredIncident>(ports.table, partitions, { ...range, limit, after });
  const fits = (incident: StoredIncident): boolean => {
    const is = stateOf(incident, now);
    const isWanted = state === undefined || is === state || (state === 'unresolved' && is !== 'resolved');
    return isWanted && (origin === undefined || incident.origin === origin);
  };
  const isPicky = state !== undefined || origin !== undefined || entity_id !== undefined;
  const about = entity_id === undefined ? page : withEntity(context, entity_id, page);
  const read = isPicky ? filtered(about, fits) : about;
  return async (after, limit) => {
    const { items, ...rest } = await read(after, limit);
    return { ...rest, found: items.map((item) => ({ at: item.sk, value: incidentRecord(item, now) })) };
  };
}

type PageOf = (
  after: string | undefined,
  limit: number,
) => Promise<{ items: StoredIncident[]; next?: string | undefined }>;

/** Those alone that an entity is part of. */
const withEntity =
  ({ ports, keys, tenant }: Context, entity_id: string, read: PageOf): PageOf =>
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
    return { ...rest, items: items.filter((one) => ids.has(one.id) || one.entity_ids?.includes(entity_id)) };
  };

/** @throws AppError NOT_FOUND */
export async function requireIncident({ ports, keys, tenant }: Context, id: string): Promise<StoredIncident> {
  const incident = isId('inc', id) ? await ports.table.get<StoredIncident>(keys.incidentRecord(tenant, id)) : undefined;
  if (!incident) throw notFound(`Incident ${id}`);
  return incident;
}
