import { causeFromState, dependentOf } from '#lib/alerting/cause/find-cause.ts';
import { readUpstream } from '#lib/alerting/cause/read-upstream.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { joinWrites, ownIncident } from '#lib/alerting/decide/notified-failure.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem, IncidentRef } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { MAX_WAIT_MS, type MessageOf } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { resolveIfQuiet, scheduleRecheck } from './end-incident.ts';
import { expiryOf, type IncidentEntity, type IncidentItem } from './incident.ts';
import { entityWith, entryOfAlert, entryOfTransition, incidentWith, newIncident } from './join.ts';
import { acknowledgedEntry } from './root-acknowledged.ts';

/** Bounds (ms) of the delay of the next attempt, a quarter of the age of the failure, while its alert is held. */
const MIN_MS = 2_000;
const MAX_MS = 300_000;
/** Time in ms to wait for a cause if no held alert waits for it, and delay of each attempt in that time. */
const WAITS_FOR_CAUSE_MS = 60_000;
const RETRY_MS = 15_000;

/** The incident of a failure, or the time of the next attempt to find it (epoch ms); undefined without an incident. */
type IncidentLookup = IncidentRef | { again: number } | undefined;

/**
 * Finds or opens the incident of a failure whose transition has none, because of maintenance or because its cause was
 * not known yet. Adds the entity to the incident.
 */
function findOrOpenIncident(env: Env, transition: DecidedTransition): Promise<IncidentLookup> {
  return retryOnConflict(env.ports, () => findOrOpenOnce(env, transition));
}

async function findOrOpenOnce(env: Env, transition: DecidedTransition): Promise<IncidentLookup | typeof RETRY> {
  const { ports } = env;
  const { tenant_id, check_id, entity_id, transition_id } = transition;
  const owner = { tenant_id, entity_id, id: check_id };
  const { check, entity, policy, notifiedFailure, now } = await readCheckAlerting(env, owner, {
    notifiedFailure: true,
  });
  if (entity?.incident) return entity.incident;
  if (!check || !entity || check.alerts.episode?.transition_id !== transition_id || check.state !== 'down')
    return undefined;
  const { window } = policy;
  if (window) return { again: window.until };
  const age = Math.max(0, now - Date.parse(transition.timestamp));
  if (transition.alert.decision === 'held') return { again: now + Math.min(Math.max(age / 4, MIN_MS), MAX_MS) };
  const cause = entity.dependencies > 0 ? await incidentOfCause(env, check, transition) : undefined;
  if (cause && 'again' in cause) return cause;
  if (!cause && entity.dependencies > 0 && age < WAITS_FOR_CAUSE_MS) return { again: now + RETRY_MS };
  const incident = cause ?? ownIncident(entity, notifiedFailure, transition);
  return (await commit(ports, joinWrites(entity, incident, ports.ids.token()))).ok ? incident : RETRY;
}

/** Finds the incident of the root cause from stored states, without probes. */
async function incidentOfCause(
  { ports, keys }: Env,
  check: CheckItem,
  transition: DecidedTransition,
): Promise<IncidentLookup> {
  const env = { ports, keys, tenant: check.tenant_id };
  const upstream = await readUpstream(env, check.entity_id);
  // `readUpstream` timed out, because this process is busy with other evaluations.
  if (!upstream) return { again: ports.clock.now() + MIN_MS };
  const { roots } = await causeFromState(env, upstream, dependentOf(check, transition));
  return roots.map(({ entity_id }) => upstream.entities.get(entity_id)?.incident).find((one) => one !== undefined);
}

/** Adds an alert or a transition to its incident, or rechecks an incident. Idempotent; messages arrive in any order. */
export async function updateIncidentItem(env: Env, message: MessageOf<'incident'>): Promise<void> {
  if ('incident_id' in message) return resolveIfQuiet(env, message);
  const { ports, keys } = env;
  const { tenant_id, check_id, sk } = message;
  const item = await ports.table.get<AlertItem | DecidedTransition>({ pk: keys.ofCheck(tenant_id, check_id), sk });
  if (!item) return ports.log.warn('alert or transition of an incident update not found', message);
  if (isAlert(item)) return addAlert(env, item);
  const again = await addTransition(env, item);
  if (again === undefined) return;
  const not_before = Math.min(again, ports.clock.now() + MAX_WAIT_MS);
  await ports.queues.send('incident', [{ body: message, not_before, group: tenant_id }]);
}

/** Adds the timeline entry of an alert, and the transition of the alert if that was written without an incident. */
async function addAlert(env: Env, alert: AlertItem): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, check_id, incident_id, reports_state, transition_sk } = alert;
  if (incident_id === undefined) return;
  await ports.table.putMany([entryOfAlert(keys, incident_id, alert)]);
  if (reports_state !== 'down' || transition_sk === null) return;
  const transition = await ports.table.get<DecidedTransition>({
    pk: keys.ofCheck(tenant_id, check_id),
    sk: transition_sk,
  });
  if (transition && !transition.incident) await addTransition(env, transition);
}

/** Adds a transition to its incident. Returns the time of the next attempt (epoch ms); undefined if not needed. */
async function addTransition(env: Env, transition: DecidedTransition): Promise<number | undefined> {
  const found = transition.incident ?? (await findOrOpenIncident(env, transition));
  if (found && 'again' in found) return found.again;
  if (found) await writeTransition(env, transition, found);
  return undefined;
}

/** Writes the timeline entry, the entity's item in the incident, and a new or changed incident, in one transaction. */
async function writeTransition(env: Env, transition: DecidedTransition, ref: IncidentRef): Promise<void> {
  const { ports, keys } = env;
  const { tenant_id, entity_id } = transition;
  const entry = entryOfTransition(keys, ref, transition);
  await retryOnConflict(ports, async () => {
    const [stored, before, root] = await ports.table.getMany<[IncidentItem, IncidentEntity, EntityItem]>([
      keys.incident(tenant_id, ref.id),
      keys.incidentEntity(tenant_id, ref.id, entity_id),
      keys.entity(tenant_id, ref.root_entity_id),
    ]);
    const v = ports.ids.token();
    const expires_at = expiryOf(ports.clock.now());
    // The check can be acknowledged before the incident is opened.
    const check = !stored && entity_id === ref.root_entity_id ? await checkOf(env, transition) : undefined;
    const acknowledgement = check?.alerts.episode?.acknowledgement;
    const fresh = newIncident(keys, ref, tenant_id, root?.name ?? 'A deleted entity');
    const incident = stored ?? { ...fresh, ...(acknowledgement && { acknowledgement }) };
    const after = entityWith(keys, ref, before, transition);
    const recheck = after.down_checks === 0 ? await scheduleRecheck(env, incident) : {};
    const next = { ...incidentWith(incident, transition, after), ...recheck };
    const isUnresolved = next.resolved_at === undefined;
    const writes: Write[] = [
      { put: entry, if: 'absent' },
      ...(after === before
        ? []
        : [{ put: { ...after, v, expires_at }, if: before ? { version: before.v } : ('absent' as const) }]),
      ...(isChanged(stored, next)
        ? [{ put: { ...next, v, expires_at }, if: stored ? { version: stored.v } : ('absent' as const) }]
        : []),
      ...(isUnresolved && (!stored || stored.resolved_at !== undefined)
        ? [{ put: { ...keys.unresolvedIncident(tenant_id, ref.id), expires_at } }]
        : []),
    ];
    if (check) writes.push({ check: keys.check(tenant_id, check.id), if: { version: check.v } });
    if (acknowledgement) writes.push({ put: acknowledgedEntry(env, incident, acknowledgement) });
    const outcome = await ports.table.transact(writes);
    const isAlreadyWritten = !outcome.ok && outcome.present[0] !== undefined;
    return outcome.ok || isAlreadyWritten ? true : RETRY;
  });
}

const checkOf = ({ ports, keys }: Env, { tenant_id, check_id }: DecidedTransition): Promise<CheckItem | undefined> =>
  ports.table.get<CheckItem>(keys.check(tenant_id, check_id));

const isChanged = (before: IncidentItem | undefined, next: IncidentItem): boolean =>
  !before ||
  before.started_at !== next.started_at ||
  before.impact !== next.impact ||
  before.resolved_at !== next.resolved_at ||
  before.recheck_at !== next.recheck_at;
