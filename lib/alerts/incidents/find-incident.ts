import { dependentOf, knownCause, readAncestry } from '#lib/alerting/cause/find-cause.ts';
import { type IncidentItem, joinWrites, ownIncident } from '#lib/alerting/decide/notified-failure.ts';
import { type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem, IncidentRef } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';

/** How soon (ms) a failure is looked at whose cause is looked for by the one who tells of it: later and later. */
const SOONEST_MS = 2_000;
const LATEST_MS = 300_000;
/** Where nobody is to be told, so that nobody looks: for so long (ms) after the failure its cause may come to light. */
const WAITS_FOR_CAUSE_MS = 60_000;
const LOOKS_EVERY_MS = 15_000;

/** The incident that a failure belongs to; `again`: it is not known before then (epoch ms). Undefined for none. */
type Found = IncidentRef | { again: number } | undefined;

/**
 * Finds the incident of a failure that was written without one: in maintenance, whose end it waits for, or of an entity
 * that depends on others, whose cause it waits for. What is over by then belongs to none.
 */
export function findIncident(env: Env, transition: TransitionItem): Promise<Found> {
  return untilDone(env.ports, () => attempt(env, transition));
}

async function attempt(env: Env, transition: TransitionItem): Promise<Found | typeof AGAIN> {
  const { ports, keys } = env;
  const { tenant_id, check_id, entity_id, transition_id } = transition;
  const [check, entity, stored, head, told] = await ports.table.getMany<
    [CheckItem, EntityItem, PolicyItem, AlertingHead, IncidentItem]
  >([
    keys.check(tenant_id, check_id),
    keys.entity(tenant_id, entity_id),
    keys.policy(tenant_id, check_id),
    keys.alertingHead(tenant_id),
    keys.incident(tenant_id, entity_id),
  ]);
  if (entity?.incident) return entity.incident;
  if (!check || !entity || check.alerts.episode?.transition_id !== transition_id || check.state !== 'down')
    return undefined;
  const now = ports.clock.now();
  const account = await alertingOf(env, tenant_id, head);
  const { window } = effectivePolicy(stored, { check, entity, account, now });
  if (window) return { again: window.until };
  const age = Math.max(0, now - Date.parse(transition.timestamp));
  if (transition.alert.decision === 'held') return { again: now + Math.min(Math.max(age / 4, SOONEST_MS), LATEST_MS) };
  const cause = entity.dependencies > 0 ? await incidentOfCause(env, check, transition) : undefined;
  if (!cause && entity.dependencies > 0 && age < WAITS_FOR_CAUSE_MS) return { again: now + LOOKS_EVERY_MS };
  const incident = cause ?? ownIncident(entity, told, transition);
  return (await commit(ports, joinWrites(entity, incident, ports.ids.token()))).ok ? incident : AGAIN;
}

/** The incident of what explains a failure by the states that are known: nobody is asked. */
async function incidentOfCause(
  { ports, keys }: Env,
  check: CheckItem,
  transition: TransitionItem,
): Promise<IncidentRef | undefined> {
  const env = { ports, keys, tenant: check.tenant_id };
  const ancestry = await readAncestry(env, check.entity_id);
  const { roots } = await knownCause(env, ancestry, dependentOf(check, transition));
  return roots.map(({ entity_id }) => ancestry.entities.get(entity_id)?.incident).find((one) => one !== undefined);
}
