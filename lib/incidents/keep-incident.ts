import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import { findIncident } from '#lib/alerts/incidents/find-incident.ts';
import { expiryOf, type IncidentEntity, type StoredIncident } from '#lib/alerts/incidents/incident-items.ts';
import type { EntityItem, IncidentRef } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { LONGEST_WAIT_MS, type MessageOf } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { lookLater, lookWhetherOver } from './end-incident.ts';
import { entityWith, entryOfAlert, entryOfTransition, incidentWith, newIncident } from './join.ts';
import { acknowledgedEntry } from './root-acknowledged.ts';

/** Writes into an incident what a message is about, or looks whether it is over. Repeatable, in any order. */
export async function keepIncident(env: Env, message: MessageOf<'incident'>): Promise<void> {
  if ('incident_id' in message) return lookWhetherOver(env, message);
  const { ports, keys } = env;
  const { tenant_id, check_id, sk } = message;
  const item = await ports.table.get<AlertItem | TransitionItem>({ pk: keys.ofCheck(tenant_id, check_id), sk });
  if (!item) return ports.log.warn('what belongs to an incident is gone', message);
  if (isAlert(item)) return noteAlert(env, item);
  const again = await noteChange(env, item);
  if (again === undefined) return;
  const not_before = Math.min(again, ports.clock.now() + LONGEST_WAIT_MS);
  await ports.queues.send('incident', [{ body: message, not_before, group: tenant_id }]);
}

/** The entry of an alert. What it tells of may have waited for it to know its incident. */
async function noteAlert(env: Env, alert: AlertItem): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, check_id, incident_id, announces, transition_sk } = alert;
  if (incident_id === undefined) return;
  await ports.table.putMany([entryOfAlert(keys, incident_id, alert)]);
  if (announces !== 'down' || transition_sk === null) return;
  const transition = await ports.table.get<TransitionItem>({
    pk: keys.ofCheck(tenant_id, check_id),
    sk: transition_sk,
  });
  if (transition && !transition.incident) await noteChange(env, transition);
}

/** @returns when the incident may be known that it belongs to (epoch ms); undefined when nothing is left to do */
async function noteChange(env: Env, transition: TransitionItem): Promise<number | undefined> {
  const found = transition.incident ?? (await findIncident(env, transition));
  if (found && 'again' in found) return found.again;
  if (found) await noteTransition(env, transition, found);
  return undefined;
}

/** Its entry, the entity as it is now, and the incident where that opens or changes, in one transaction. */
async function noteTransition(env: Env, transition: TransitionItem, ref: IncidentRef): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, entity_id } = transition;
  const entry = entryOfTransition(keys, ref, transition);
  await untilDone(ports, async () => {
    const [stored, before, root] = await ports.table.getMany<[StoredIncident, IncidentEntity, EntityItem]>([
      keys.incidentRecord(tenant_id, ref.id),
      keys.incidentEntity(tenant_id, ref.id, entity_id),
      keys.entity(tenant_id, ref.root_entity_id),
    ]);
    const v = ports.ids.token();
    const expires_at = expiryOf(ports.clock.now());
    // Somebody may look after it already: a check is acknowledged as soon as it is down.
    const check = !stored && entity_id === ref.root_entity_id ? await checkOf(env, transition) : undefined;
    const acknowledgement = check?.alerts.episode?.acknowledgement;
    const fresh = newIncident(keys, ref, tenant_id, root?.name ?? 'A deleted entity');
    const incident = stored ?? { ...fresh, ...(acknowledgement && { acknowledgement }) };
    const after = entityWith(keys, ref, before, transition);
    const looks = after.down_checks === 0 ? await lookLater(env, incident) : {};
    const next = { ...incidentWith(incident, transition, after), ...looks };
    const isOpen = next.resolved_at === undefined;
    const writes: Write[] = [
      { put: entry, if: 'absent' },
      ...(after === before
        ? []
        : [{ put: { ...after, v, expires_at }, if: before ? { version: before.v } : ('absent' as const) }]),
      ...(isChanged(stored, next)
        ? [{ put: { ...next, v, expires_at }, if: stored ? { version: stored.v } : ('absent' as const) }]
        : []),
      ...(isOpen && (!stored || stored.resolved_at !== undefined)
        ? [{ put: { ...keys.openIncident(tenant_id, ref.id), expires_at } }]
        : []),
    ];
    if (check) writes.push({ check: keys.check(tenant_id, check.id), if: { version: check.v } });
    if (acknowledgement) writes.push({ put: acknowledgedEntry(env, incident, acknowledgement) });
    const outcome = await ports.table.transact(writes);
    const isKnown = !outcome.ok && outcome.present[0] !== undefined;
    return outcome.ok || isKnown ? true : AGAIN;
  });
}

const checkOf = ({ ports, keys }: Env, { tenant_id, check_id }: TransitionItem): Promise<CheckItem | undefined> =>
  ports.table.get<CheckItem>(keys.check(tenant_id, check_id));

const isChanged = (before: StoredIncident | undefined, next: StoredIncident): boolean =>
  !before ||
  before.started_at !== next.started_at ||
  before.impact !== next.impact ||
  before.resolved_at !== next.resolved_at ||
  before.look_at !== next.look_at;
