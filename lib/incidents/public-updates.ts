import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { Audited } from '#lib/audit/write.ts';
import { INCIDENT_UPDATES, under } from '#lib/keys.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { IdOf, Unchanged } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { isId } from '#lib/platform/ids.ts';
import { pick } from '#lib/platform/plain-data.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { lines } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { nameOf, reopeningWrites, resolvingWrites } from './change-incident.ts';
import { askToPublish, ComponentIds, requireComponents } from './components.ts';
import { releaseEntities } from './end-incident.ts';
import { expiryOf, type IncidentItem, UpdateStatus } from './incident.ts';
import { requireIncident } from './list-incidents.ts';
import { entryOfEvent } from './timeline.ts';

const MAX_UPDATES = 100;
/** Schemes of links that run code. */
const CODE_LINK = /(?:javascript|vbscript):\S|data:[a-z]+\//i;

/** A public update of an incident. Up to 4 KB if the text is ASCII. */
export type PublicUpdateItem = Item & {
  v: string;
  id: string;
  incident_id: string;
  status: UpdateStatus;
  message: string;
  /** Empty: on all pages that show the incident. */
  component_ids: string[];
  /** Whether its author chose to notify subscribers. */
  notify: boolean;
  at: string;
  by: string;
  edited_at?: string;
};

const Message = lines(1, 4000)
  .refine(
    (message) => !CODE_LINK.test(message),
    'must not contain javascript:, vbscript: or data: links; status pages link https:// addresses only',
  )
  .describe('Plain text for visitors of status pages; line breaks are kept, https:// addresses become links.');

export const NewPublicUpdate = z
  .object({
    status: UpdateStatus,
    message: Message,
    component_ids: ComponentIds.describe(
      'Components that the update is about; they are added to the incident. Empty: it appears on all pages that show the incident.',
    ).default([]),
    notify: z.boolean().describe('Whether to notify subscribers of the status pages.'),
  })
  .meta({ id: 'NewPublicUpdate' });
type NewPublicUpdate = z.output<typeof NewPublicUpdate>;

export const PublicUpdatePatch = z
  .object({ message: Message, id: Unchanged.exactOptional(), status: Unchanged.exactOptional() })
  .meta({ id: 'PublicUpdatePatch' });
type PublicUpdatePatch = z.output<typeof PublicUpdatePatch>;

export const PublicUpdate = z
  .object({
    id: IdOf('the update'),
    incident_id: IdOf('the incident'),
    status: UpdateStatus,
    message: z.string().describe('Plain text.'),
    component_ids: z
      .array(z.string())
      .describe('Components that the update is about. Empty: it appears on all pages that show the incident.'),
    notify: z.boolean().describe('Whether it was published with a notification to subscribers.'),
    at: z.iso.datetime().describe('Time of publication.'),
    edited_at: z.iso.datetime().nullable().describe('Time of the last edit; null without one.'),
    by: z.string().describe('Author: e-mail address, or label of the key. Not public.'),
  })
  .meta({ id: 'PublicUpdate' });
export type PublicUpdate = z.infer<typeof PublicUpdate>;

export const updateView = (item: PublicUpdateItem): PublicUpdate =>
  pick(PublicUpdate, { ...item, edited_at: item.edited_at ?? null });

// Excludes the message: deleting an update must delete its text, but the audit log keeps its entries.
const audited: Audited<PublicUpdateItem> = {
  type: 'incident_update',
  target: ({ id, incident_id, status }) => ({ id, name: status, within: [incident_id] }),
  properties: ({ status, component_ids, notify, edited_at }) => ({ status, component_ids, notify, edited_at }),
};

/** Reads the public updates of an incident, newest first. */
export function updateList({ ports, keys, tenant }: Context, { id }: IncidentItem): Reader<PublicUpdate> {
  const partition = keys.ofIncident(tenant, id);
  return async (after, limit) => {
    const { items, next } = await ports.table.query<PublicUpdateItem>({
      ...{ partition, ...under(INCIDENT_UPDATES), descending: true, limit, after },
    });
    return { found: items.map((item) => ({ at: item.sk, value: updateView(item) })), next };
  };
}

/** Finds an update. @throws AppError NOT_FOUND */
export async function requireUpdate(
  { ports, keys, tenant }: Context,
  { id, update_id }: { id: string; update_id: string },
): Promise<PublicUpdateItem> {
  const isPossible = isId('inc', id) && isId('upd', update_id);
  const item = isPossible
    ? await ports.table.get<PublicUpdateItem>(keys.incidentUpdate(tenant, id, update_id))
    : undefined;
  if (!item) throw notFound(`Update ${update_id} of incident ${id}`);
  return item;
}

/**
 * Publishes an update. `resolved` also resolves the incident; another status reopens a resolved manual incident.
 * @throws AppError VALIDATION_ERROR for a component that does not exist or is not on a page of the incident, CONFLICT
 * if the incident cannot have the status, LIMIT_EXCEEDED beyond 100 updates
 */
export async function publishUpdate(
  context: Context,
  { id: incident_id }: IncidentItem,
  { status, message, component_ids, notify }: NewPublicUpdate,
): Promise<PublicUpdateItem> {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  const id = ports.ids.id('upd');
  const by = nameOf(context);
  const update: PublicUpdateItem = {
    ...keys.incidentUpdate(tenant, incident_id, id),
    ...{ v: id, expires_at: expiryOf(now), id, incident_id, status, message },
    ...{ component_ids: [...new Set(component_ids)], notify, at: iso(now), by },
  };
  const auditWrites = auditWriter(context, 'create', audited);
  const incident = await retryOnConflict(ports, async () => {
    const before = await requireIncident(context, incident_id);
    const { updates = 0, component_ids: known = [] } = before;
    await requireComponents(context, component_ids, known);
    if (updates >= MAX_UPDATES) {
      throw new AppError(
        'LIMIT_EXCEEDED',
        `Incident ${incident_id} has ${MAX_UPDATES} public updates, the maximum. Edit or delete one.`,
      );
    }
    const after: IncidentItem = {
      ...before,
      ...{ updates: updates + 1, public_status: status, component_ids: [...new Set([...known, ...component_ids])] },
    };
    const writes: Write[] = [
      { put: update, if: 'absent' },
      { put: entryOfEvent(context, before, { id, at: update.at, kind: 'update', by, text: status }) },
      ...(await statusWrites(context, after)),
      ...auditWrites(undefined, update),
    ];
    return (await commit(ports, writes)).ok ? after : RETRY;
  });
  await askToPublish(context);
  if (status === 'resolved' && incident.origin === 'automatic') await releaseEntities(context, incident);
  return update;
}

/** Returns the writes of a public status, which can resolve or reopen an incident. Throws CONFLICT, LIMIT_EXCEEDED. */
async function statusWrites(context: Context, incident: IncidentItem): Promise<Write[]> {
  const { id, public_status, resolved_at, origin, v } = incident;
  const isOver = resolved_at !== undefined;
  if (public_status === 'resolved' && !isOver) return (await resolvingWrites(context, incident)).writes;
  if (public_status !== 'resolved' && isOver) {
    if (origin === 'manual') return reopeningWrites(context, incident);
    throw new AppError(
      'CONFLICT',
      `Incident ${id} was resolved at ${resolved_at}. Publish an update with the status resolved instead.`,
    );
  }
  const { ports } = context;
  const put = { ...incident, v: ports.ids.token(), updated_at: iso(ports.clock.now()) };
  return [{ put, if: { version: v } }];
}

/**
 * Changes the text of an update and marks it as edited. Notifies no subscribers; writes nothing without a change.
 * @throws AppError VALIDATION_ERROR if the id or status of the patch differs from that of the update
 */
export async function editUpdate(
  context: Context,
  edited: PublicUpdateItem,
  { message, id, status }: PublicUpdatePatch,
): Promise<PublicUpdateItem> {
  const { ports } = context;
  assertUnchanged<Record<string, string>>({ id: edited.id, status: edited.status }, { id, status });
  const auditWrites = auditWriter(context, 'update', audited);
  const v = ports.ids.token();
  const after = await retryOnConflict(ports, async () => {
    const before = await requireUpdate(context, { id: edited.incident_id, update_id: edited.id });
    if (before.message === message) return before;
    const put = { ...before, v, message, edited_at: iso(ports.clock.now()) };
    return (await commit(ports, [{ put, if: { version: before.v } }, ...auditWrites(before, put)])).ok ? put : RETRY;
  });
  await askToPublish(context);
  return after;
}

/** Deletes an update from pages and feeds. The timeline keeps its author and status. */
export async function deleteUpdate(context: Context, deleted: PublicUpdateItem): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', audited);
  await retryOnConflict(ports, async () => {
    const incident = await requireIncident(context, deleted.incident_id);
    const update = await ports.table.get<PublicUpdateItem>(keys.incidentUpdate(tenant, incident.id, deleted.id));
    if (!update) return true;
    const { items } = await ports.table.query<PublicUpdateItem>({
      ...{ partition: keys.ofIncident(tenant, incident.id), ...under(INCIDENT_UPDATES), descending: true, limit: 2 },
    });
    const newest = items.find(({ id }) => id !== deleted.id);
    const { public_status: _status, updates = 1, ...rest } = incident;
    const put: IncidentItem = {
      ...rest,
      ...(newest && { updates: updates - 1, public_status: newest.status }),
      ...{ v: ports.ids.token(), updated_at: iso(ports.clock.now()) },
    };
    const writes: Write[] = [
      { delete: update, if: { version: update.v } },
      { put, if: { version: incident.v } },
      ...auditWrites(update, undefined),
    ];
    return (await commit(ports, writes)).ok ? true : RETRY;
  });
  await askToPublish(context);
}
