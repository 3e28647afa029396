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
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { Name, text } from '#lib/platform/text.ts';
import { iso } from '#lib/platform/time.ts';
import { acknowledgeAs } from './acknowledge.ts';
import { entitiesDown, leave } from './end-incident.ts';
import {
  acknowledgementOf,
  expiryOf,
  Impact,
  type IncidentEntity,
  type IncidentItem,
  type TimelineItem,
} from './incident.ts';
import { requireIncident } from './list-incidents.ts';
import { acknowledgedWrites } from './root-acknowledged.ts';
import { resolvedWrites, timelineEntry } from './timeline.ts';

const MAX_ENTITIES = 100;

const settings = {
  title: Name.describe('What people call it.'),
  impact: Impact,
};

/** An incident that no check has found. */
export const NewIncident = z
  .object({
    ...settings,
    entity_ids: z
      .array(z.string().refine((id) => isId('ent', id), 'must be the id of an entity: ent_…'))
      .max(MAX_ENTITIES, `must name at most ${MAX_ENTITIES}`)
      .describe('What it is about.')
      .default([]),
  })
  .meta({ id: 'NewIncident' });
type NewIncident = z.output<typeof NewIncident>;

/** What of an incident is changed; the rest keeps its value. */
export const IncidentPatch = z
  .object({
    id: Unchanged.exactOptional(),
    title: settings.title.exactOptional(),
    impact: Impact.exactOptional(),
    hidden: z.boolean().describe('Whether it is kept from the public.').exactOptional(),
  })
  .meta({ id: 'IncidentPatch' });
type IncidentPatch = z.output<typeof IncidentPatch>;

export const NewNote = z
  .object({ text: text(1, 4000).describe('For whoever looks after it; line breaks are kept.') })
  .meta({ id: 'NewIncidentNote' });
type NewNote = z.output<typeof NewNote>;

const auditedIncident: Audited<IncidentItem> = {
  type: 'incident',
  target: ({ id, title, root_entity_id, entity_ids = [] }) => ({
    id,
    name: title,
    within: root_entity_id === null ? entity_ids.slice(0, 10) : [root_entity_id],
  }),
  members: ({ title, impact, hidden, entity_ids, acknowledgement, resolved_by }) => ({
    title,
    impact,
    hidden,
    entity_ids,
    acknowledged_by: acknowledgement?.by,
    resolved_by,
  }),
};

/** Who a caller is, for people. */
const nameOf = ({ caller }: Context): string => caller.user_email || caller.key_label || 'an API key';

/** Makes an incident by hand. @throws AppError VALIDATION_ERROR for an entity that does not exist */
export async function makeIncident(
  context: Context,
  { title, impact, entity_ids }: NewIncident,
): Promise<IncidentItem> {
  const { ports, keys, tenant } = context;
  const entities = await ports.table.getMany(entity_ids.map((id) => keys.entity(tenant, id)));
  const unknown = entities.findIndex((entity) => !entity);
  if (unknown >= 0) throw invalid(`entity_ids.${unknown}`, 'does not exist; GET /v1/status lists entities');
  const now = ports.clock.now();
  const id = ports.ids.id('inc');
  const at = iso(now);
  const incident: IncidentItem = {
    ...keys.incident(tenant, id),
    ...{ v: ports.ids.token(), expires_at: expiryOf(now), tenant_id: tenant, id, origin: 'manual', title, impact },
    ...{ root_entity_id: null, root_entity_name: null, entity_ids: [...new Set(entity_ids)], hidden: false },
    ...{ started_at: at, created_at: at, updated_at: at },
  };
  const note = auditWriter(context, 'create', auditedIncident);
  const opened = timelineEntry(context, incident, { id, at, kind: 'opened', by: nameOf(context) });
  return retryOnConflict(ports, async () => {
    const writes = [
      { put: incident, if: 'absent' as const },
      { put: { ...keys.openIncident(tenant, id), expires_at: expiryOf(now) } },
      { put: opened },
      ...note(undefined, incident),
    ];
    return (await commit(ports, writes)).ok ? incident : RETRY;
  });
}

/** Changes what is given of an incident. What changes nothing is not written. */
export function changeIncident(context: Context, id: string, patch: IncidentPatch): Promise<IncidentItem> {
  const { ports } = context;
  assertUnchanged({ id }, { id: patch.id });
  const { title, impact, hidden } = patch;
  const note = auditWriter(context, 'update', auditedIncident);
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const before = await requireIncident(context, id);
    const after: IncidentItem = {
      ...before,
      title: title ?? before.title,
      impact: impact ?? before.impact,
      ...(impact !== undefined && { impact_is_set: true as const }),
      hidden: hidden ?? before.hidden,
    };
    if (before.v === v || isSame(auditedIncident, before, after)) return before;
    const put = { ...after, v, updated_at: iso(ports.clock.now()) };
    return (await commit(ports, [{ put, if: { version: before.v } }, ...note(before, put)])).ok ? put : RETRY;
  });
}

/**
 * Ends an incident. One that is over stays as it is.
 * @throws AppError CONFLICT for an automatic one while a check of it is down
 */
export async function resolveIncident(context: Context, id: string): Promise<IncidentItem> {
  const { ports } = context;
  const note = auditWriter(context, 'resolve', auditedIncident);
  const ended = await retryOnConflict(ports, async () => {
    const incident = await requireIncident(context, id);
    if (incident.resolved_at !== undefined) return incident;
    const last = await lastRecovery(context, incident);
    const end = { resolved_at: iso(last), resolved_by: nameOf(context) };
    const writes = resolvedWrites(context, incident, end);
    if (!(await commit(ports, [...writes, ...note(incident, { ...incident, ...end })])).ok) return RETRY;
    return requireIncident(context, id);
  });
  if (ended.origin === 'automatic') await leave(context, ended);
  return ended;
}

/** Epoch ms of its end: now, or when the last of its checks came up. */
async function lastRecovery(context: Context, incident: IncidentItem): Promise<number> {
  if (incident.origin === 'manual') return context.ports.clock.now();
  const entities = await entitiesDown(context, incident);
  if (!('down' in entities) && !entities.behind) return entities.last;
  throw new AppError(
    'CONFLICT',
    `Incident ${incident.id} is not over: a check of it is down. It ends by itself once all are up; to be left alone ` +
      'until then, acknowledge it.',
  );
}

/** Adds a note to the timeline of an incident, also of one that is over. */
export async function addNote(context: Context, incident: IncidentItem, { text }: NewNote): Promise<TimelineItem> {
  const { ports } = context;
  const note = auditWriter(context, 'note', auditedIncident);
  const id = ports.ids.id('nte');
  const done = { id, at: iso(ports.clock.now()), kind: 'note' as const, by: nameOf(context), text };
  const entry = timelineEntry(context, incident, done);
  return retryOnConflict(ports, async () => {
    const writes = [{ put: entry, if: 'absent' as const }, ...note(incident, incident, { note: id })];
    return (await commit(ports, writes)).ok ? entry : RETRY;
  });
}

type Wanted = { until?: number | null | undefined; note: string };

/**
 * Says that somebody looks after an incident: every check of it that is down and that anybody was told of is
 * acknowledged. What is held stays held, and is told when it turns out to be down for another reason. The first stays.
 * @throws AppError CONFLICT for one that is over, VALIDATION_ERROR for an end that is not ahead
 */
export async function acknowledgeIncident(
  context: Context,
  id: string,
  { until, note }: Wanted,
): Promise<IncidentItem> {
  const { ports, origin } = context;
  if (until) assertSilenceEnd('until', until, ports.clock.now());
  const audit = auditWriter(context, 'acknowledge', auditedIncident);
  const v = ports.ids.token();
  for (const check of await checksToldDown(context, await requireOpen(context, id)))
    await acknowledgeAs(context, check, { until, note }).catch(unlessOver);
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
  throw new AppError('CONFLICT', `Incident ${id} is over since ${incident.resolved_at}.`);
}

/** Its checks that are down but for those whose alerts are held: nobody was told of these. */
async function checksToldDown({ ports, keys, tenant }: Context, { id }: IncidentItem) {
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

/** It has recovered, or is gone. */
function unlessOver(error: unknown): void {
  if (!(error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND'))) throw error;
}
