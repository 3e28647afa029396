import { auditing } from '#lib/access/auditing.ts';
import type { Context } from '#lib/access/context.ts';
import { isUntold } from '#lib/alerting/decide/recipients.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { mustBeAhead } from '#lib/catalog/own-silence.ts';
import { acknowledgeAs } from '#lib/incidents/acknowledge.ts';
import { auditedIncident, nameOf } from '#lib/incidents/change-incident.ts';
import { acknowledgementOf } from '#lib/incidents/incident.ts';
import { requireIncident } from '#lib/incidents/list-incidents.ts';
import { acknowledgedWrites } from '#lib/incidents/root-acknowledged.ts';
import { INCIDENT_ENTITIES } from '#lib/keys/prefixes.ts';
import { under } from '#lib/keys.ts';
import { AppError } from '#lib/platform/errors.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import type { DeadlineEntry } from '#lib/schedule/deadlines.ts';
import type { IncidentEntity, StoredIncident } from './incident-items.ts';

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
): Promise<StoredIncident> {
  const { ports, origin } = context;
  if (until) mustBeAhead('until', until, ports.clock.now());
  const audit = auditing(context, 'acknowledge', auditedIncident);
  const v = ports.ids.token();
  for (const check of await checksToldDown(context, await requireOpen(context, id)))
    await acknowledgeAs(context, check, { until, note }).catch(unlessOver);
  return untilDone(ports, async () => {
    const incident = await requireOpen(context, id);
    const now = ports.clock.now();
    if (acknowledgementOf(incident, now)) return incident;
    const acknowledgement = { by: nameOf(context), via: origin.via, at: now, note, ...(until && { until }) };
    const after = { ...incident, acknowledgement };
    const writes = [...acknowledgedWrites(context, incident, acknowledgement, v), ...audit(incident, after)];
    return (await commit(ports, writes)).ok ? requireIncident(context, id) : AGAIN;
  });
}

async function requireOpen(context: Context, id: string): Promise<StoredIncident> {
  const incident = await requireIncident(context, id);
  if (incident.resolved_at === undefined) return incident;
  throw new AppError('CONFLICT', `Incident ${id} is over since ${incident.resolved_at}.`);
}

/** Its checks that are down but for those whose alerts are held: nobody was told of these. */
async function checksToldDown({ ports, keys, tenant }: Context, { id }: StoredIncident) {
  const partition = keys.ofIncident(tenant, id);
  const parts = await allOf<IncidentEntity>(ports.table, { partition, ...under(INCIDENT_ENTITIES) });
  const entities = await ports.table.getMany<EntityItem>(parts.map((one) => keys.entity(tenant, one.entity_id)));
  const down = entities.flatMap((entity) =>
    Object.entries(entity?.checks ?? {}).flatMap(([check, state]) =>
      state === 'down' ? [{ id: check, entity_id: entity!.id }] : [],
    ),
  );
  const holds = await ports.table.getMany<DeadlineEntry>(down.map((check) => keys.entry('hold', tenant, check.id)));
  return down.filter((_, i) => !isUntold(holds[i]));
}

/** It has recovered, or is gone. */
function unlessOver(error: unknown): void {
  if (!(error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND'))) throw error;
}
