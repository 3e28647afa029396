import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import { isUnnotified } from '#lib/alerting/decide/recipients.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { assertSilenceEnd } from '#lib/catalog/silence-settings.ts';
import { INCIDENT_ENTITIES, under } from '#lib/keys.ts';
import { AppError, invalid } from '#lib/platform/errors.ts';
import { Unchanged } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { Name, text } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { acknowledgeAs } from './acknowledge.ts';
import { askToPublish, ComponentIds, requireComponents } from './components.ts';
import { entityStatus, releaseEntities } from './end-incident.ts';
import {
  acknowledgementOf,
  expiryOf,
  Impact,
  type IncidentEntity,
  type IncidentItem,
  type ManualIncidentsItem,
  type TimelineItem,
} from './incident.ts';
import { requireIncident } from './list-incidents.ts';
import { acknowledgedWrites } from './root-acknowledged.ts';
import { entryOfEvent, resolvedWrites } from './timeline.ts';

const MAX_ENTITIES = 100;
/** Maximum number of notes per incident, and of unresolved manual incidents per account (docs/operate/limits.md). */
const MAX_NOTES = 200;
const MAX_OPEN = 100;

const settings = {
  title: Name.describe('Display name, not shown on status pages.'),
  impact: Impact,
};

const PublicTitle = Name.nullable().describe(
  'Title on status pages; null: made from the names of the affected components.',
);

/** A manual incident. */
export const NewIncident = z
  .object({
    ...settings,
    entity_ids: z
      .array(z.string().refine((id) => isId('ent', id), 'must be the id of an entity: ent_…'))
      .max(MAX_ENTITIES, `must name at most ${MAX_ENTITIES} entities`)
      .describe('Ids of affected entities.')
      .default([]),
    component_ids: ComponentIds.default([]),
    public_title: PublicTitle.default(null),
  })
  .meta({ id: 'NewIncident' });
type NewIncident = z.output<typeof NewIncident>;

/** Changes of an incident; omitted properties keep their value. */
export const IncidentPatch = z
  .object({
    id: Unchanged.exactOptional(),
    title: settings.title.exactOptional(),
    impact: Impact.exactOptional(),
    hidden: z.boolean().describe('Whether to omit it from status pages and feeds.').exactOptional(),
    component_ids: ComponentIds.exactOptional(),
    public_title: PublicTitle.exactOptional(),
  })
  .meta({ id: 'IncidentPatch' });
type IncidentPatch = z.output<typeof IncidentPatch>;

export const NewNote = z
  .object({ text: text(1, 4000).describe('Note for other users; line breaks are kept.') })
  .meta({ id: 'NewIncidentNote' });
type NewNote = z.output<typeof NewNote>;

const auditedIncident: Audited<IncidentItem> = {
  type: 'incident',
  target: ({ id, title, root_entity_id, entity_ids = [] }) => ({
    id,
    name: title,
    within: root_entity_id === null ? entity_ids.slice(0, 10) : [root_entity_id],
  }),
  properties: ({ title, impact, hidden, entity_ids, component_ids, public_title, acknowledgement, resolved_by }) => ({
    title,
    impact,
    hidden,
    entity_ids,
    component_ids,
    public_title,
    acknowledged_by: acknowledgement?.by,
    resolved_by,
  }),
};

/** Returns the name under which incidents show the caller. */
export const nameOf = ({ caller }: Context): string => caller.user_email || caller.key_label || 'an API key';

/**
 * Creates a manual incident. Throws VALIDATION_ERROR for an entity or a component that does not exist, LIMIT_EXCEEDED
 * beyond 100 unresolved manual incidents.
 */
export async function createIncident(
  context: Context,
  { title, impact, entity_ids, component_ids, public_title }: NewIncident,
): Promise<IncidentItem> {
  const { ports, keys, tenant } = context;
  const entities = await ports.table.getMany(entity_ids.map((id) => keys.entity(tenant, id)));
  const unknown = entities.findIndex((entity) => !entity);
  if (unknown >= 0) throw invalid(`entity_ids.${unknown}`, 'does not exist; GET /v1/status lists entities');
  await requireComponents(context, component_ids);
  const now = ports.clock.now();
  const id = ports.ids.id('inc');
  const at = iso(now);
  const incident: IncidentItem = {
    ...keys.incident(tenant, id),
    ...{ v: ports.ids.token(), expires_at: expiryOf(now), tenant_id: tenant, id, origin: 'manual', title, impact },
    ...{ root_entity_id: null, root_entity_name: null, entity_ids: [...new Set(entity_ids)], hidden: false },
    component_ids: [...new Set(component_ids)],
    ...(public_title !== null && { public_title }),
    ...{ started_at: at, created_at: at, updated_at: at },
  };
  const auditWrites = auditWriter(context, 'create', auditedIncident);
  const opened = entryOfEvent(context, incident, { id, at, kind: 'opened', by: nameOf(context) });
  return retryOnConflict(ports, async () => {
    const writes = [
      { put: incident, if: 'absent' as const },
      await listedWrite(context, (ids) => [...ids, id]),
      { put: { ...keys.unresolvedIncident(tenant, id), expires_at: expiryOf(now) } },
      { put: opened },
      ...auditWrites(undefined, incident),
    ];
    return (await commit(ports, writes)).ok ? incident : RETRY;
  });
}

/** Returns the write that changes the list of unresolved manual incidents. @throws AppError LIMIT_EXCEEDED */
async function listedWrite(
  { ports, keys, tenant }: Context,
  change: (ids: readonly string[]) => string[],
): Promise<Write> {
  const listed = await ports.table.get<ManualIncidentsItem>(keys.manualIncidents(tenant));
  let ids = change(listed?.ids ?? []);
  if (ids.length > MAX_OPEN) {
    // An expired open incident is still listed. The incident of the last id is being created or reopened.
    const found = await ports.table.getMany<IncidentItem>(ids.map((id) => keys.incident(tenant, id)));
    ids = ids.filter((_, i) => i === ids.length - 1 || (found[i] && found[i].resolved_at === undefined));
  }
  if (ids.length > MAX_OPEN) {
    throw new AppError(
      'LIMIT_EXCEEDED',
      `The account has ${MAX_OPEN} unresolved manual incidents, the maximum. Resolve one first.`,
    );
  }
  const put: ManualIncidentsItem = { ...keys.manualIncidents(tenant), v: ports.ids.token(), ids };
  return { put, if: listed ? { version: listed.v } : 'absent' };
}

/** Changes the given properties; writes nothing without a change. Throws VALIDATION_ERROR for an unknown component. */
export async function changeIncident(context: Context, id: string, patch: IncidentPatch): Promise<IncidentItem> {
  const { ports } = context;
  assertUnchanged({ id }, { id: patch.id });
  const { title, impact, hidden, component_ids, public_title } = patch;
  await requireComponents(context, component_ids ?? []);
  const auditWrites = auditWriter(context, 'update', auditedIncident);
  const v = ports.ids.token();
  const changed = await retryOnConflict(ports, async () => {
    const before = await requireIncident(context, id);
    const { public_title: titleBefore, ...rest } = before;
    const titleAfter = public_title === undefined ? titleBefore : public_title;
    const after: IncidentItem = {
      ...rest,
      ...(titleAfter && { public_title: titleAfter }),
      ...(component_ids && { component_ids: [...new Set(component_ids)] }),
      title: title ?? before.title,
      impact: impact ?? before.impact,
      ...(impact !== undefined && { impact_is_set: true as const }),
      hidden: hidden ?? before.hidden,
    };
    if (before.v === v || isSame(auditedIncident, before, after)) return before;
    const put = { ...after, v, updated_at: iso(ports.clock.now()) };
    return (await commit(ports, [{ put, if: { version: before.v } }, ...auditWrites(before, put)])).ok ? put : RETRY;
  });
  await askToPublish(context);
  return changed;
}

/** Resolves an incident. @throws AppError CONFLICT for an automatic one while one of its checks is down */
export async function resolveIncident(context: Context, id: string): Promise<IncidentItem> {
  const { ports } = context;
  const auditWrites = auditWriter(context, 'resolve', auditedIncident);
  const ended = await retryOnConflict(ports, async () => {
    const incident = await requireIncident(context, id);
    if (incident.resolved_at !== undefined) return incident;
    const { writes, after } = await resolvingWrites(context, incident);
    if (!(await commit(ports, [...writes, ...auditWrites(incident, after)])).ok) return RETRY;
    return requireIncident(context, id);
  });
  await askToPublish(context);
  if (ended.origin === 'automatic') await releaseEntities(context, ended);
  return ended;
}

/** Returns the writes that resolve an incident, and the incident after them. @throws as `resolveIncident` */
export async function resolvingWrites(
  context: Context,
  incident: IncidentItem,
): Promise<{ writes: Write[]; after: IncidentItem }> {
  const end = { resolved_at: iso(await endOf(context, incident)), resolved_by: nameOf(context) };
  const writes = resolvedWrites(context, incident, end);
  if (incident.origin === 'manual') {
    writes.push(await listedWrite(context, (ids) => ids.filter((id) => id !== incident.id)));
  }
  return { writes, after: { ...incident, ...end } };
}

/** Returns the writes that reopen a resolved manual incident. @throws AppError LIMIT_EXCEEDED beyond MAX_OPEN */
export async function reopeningWrites(context: Context, incident: IncidentItem): Promise<Write[]> {
  const { ports, keys, tenant } = context;
  const { resolved_at: _at, resolved_by: _by, ...open } = incident;
  const now = ports.clock.now();
  const put: IncidentItem = { ...open, v: ports.ids.token(), updated_at: iso(now), expires_at: expiryOf(now) };
  return [
    { put, if: { version: incident.v } },
    { put: { ...keys.unresolvedIncident(tenant, incident.id), expires_at: expiryOf(now) } },
    await listedWrite(context, (ids) => [...ids, incident.id]),
  ];
}

/** Returns the end of an incident (epoch ms): now if manual, else its last recovery. @throws as `resolveIncident` */
async function endOf(context: Context, incident: IncidentItem): Promise<number> {
  if (incident.origin === 'manual') return context.ports.clock.now();
  const status = await entityStatus(context, incident);
  if (!('down' in status) && !status.hasPendingUpdate) return status.recovered_at;
  throw new AppError(
    'CONFLICT',
    `Incident ${incident.id} cannot be resolved while one of its checks is down. It resolves automatically after all ` +
      'have recovered; to stop reminders until then, acknowledge it.',
  );
}

/** Adds a note to the timeline of an incident, even if it is resolved. @throws AppError LIMIT_EXCEEDED beyond 200 */
export async function addNote(
  context: Context,
  { id: incident_id }: IncidentItem,
  { text }: NewNote,
): Promise<TimelineItem> {
  const { ports } = context;
  const auditWrites = auditWriter(context, 'note', auditedIncident);
  const id = ports.ids.id('nte');
  const done = { id, at: iso(ports.clock.now()), kind: 'note' as const, by: nameOf(context), text };
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const incident = await requireIncident(context, incident_id);
    const entry = entryOfEvent(context, incident, done);
    if (incident.v === v) return entry;
    const { notes = 0 } = incident;
    if (notes >= MAX_NOTES) {
      throw new AppError(
        'LIMIT_EXCEEDED',
        `Incident ${incident_id} has ${MAX_NOTES} notes, the maximum. Keep further notes elsewhere.`,
      );
    }
    const counted: IncidentItem = { ...incident, v, notes: notes + 1 };
    const writes = [
      { put: counted, if: { version: incident.v } },
      { put: entry, if: 'absent' as const },
      ...auditWrites(incident, counted, { note: id }),
    ];
    return (await commit(ports, writes)).ok ? entry : RETRY;
  });
}

/** `until`: latest end of the acknowledgement, epoch ms. */
type Wanted = { until?: number | null | undefined; note: string };

/**
 * Acknowledges an incident and its checks that are down. Skips a check if its alert is held for its cause or for a
 * remediation and no channel was notified of the failure. Existing acknowledgements and held alerts stay. Throws
 * CONFLICT for a resolved incident, VALIDATION_ERROR for an end in the past or over 30 days ahead.
 */
export async function acknowledgeIncident(
  context: Context,
  id: string,
  { until, note }: Wanted,
): Promise<IncidentItem> {
  const { ports, origin } = context;
  if (until != null) assertSilenceEnd('until', until, ports.clock.now());
  const audit = auditWriter(context, 'acknowledge', auditedIncident);
  const v = ports.ids.token();
  for (const check of await checksToAcknowledge(context, await requireOpen(context, id)))
    await acknowledgeAs(context, check, { until, note }).catch(ignoreEnded);
  return retryOnConflict(ports, async () => {
    const incident = await requireOpen(context, id);
    const now = ports.clock.now();
    if (acknowledgementOf(incident, now)) return incident;
    const acknowledgement = { by: nameOf(context), via: origin.via, at: now, note, ...(until && { until }) };
    const after = { ...incident, acknowledgement };
    const writes = [...acknowledgedWrites(context, incident, acknowledgement, v), ...audit(incident, after)];
    return (await commit(ports, writes)).ok ? requireIncident(context, id) : RETRY;
  });
}

async function requireOpen(context: Context, id: string): Promise<IncidentItem> {
  const incident = await requireIncident(context, id);
  if (incident.resolved_at === undefined) return incident;
  throw new AppError('CONFLICT', `Incident ${id} was resolved at ${incident.resolved_at}.`);
}

async function checksToAcknowledge({ ports, keys, tenant }: Context, { id }: IncidentItem) {
  const partition = keys.ofIncident(tenant, id);
  const parts = await allOf<IncidentEntity>(ports.table, { partition, ...under(INCIDENT_ENTITIES) });
  const entities = await ports.table.getMany<EntityItem>(parts.map((one) => keys.entity(tenant, one.entity_id)));
  const down = entities.flatMap((entity) =>
    Object.entries(entity?.checks ?? {}).flatMap(([check, state]) =>
      state === 'down' ? [{ id: check, entity_id: entity!.id }] : [],
    ),
  );
  const holds = await ports.table.getMany<DeadlineEntry>(down.map((check) => keys.entry('hold', tenant, check.id)));
  return down.filter((_, i) => !isUnnotified(holds[i]));
}

/** Ignores the error for a check that has recovered or was deleted; throws any other. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND'))) throw error;
}
