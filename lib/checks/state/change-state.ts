import { historyExpiry } from '#lib/access/retention.ts';
import { alertOfChange, type Basis, deadlinesOf, opensIncident, paged } from '#lib/alerting/decide/decide-change.ts';
import { escalationChange } from '#lib/alerting/decide/escalation.ts';
import {
  endsIncident,
  incidentOfChange,
  incidentWrites,
  ownIncident,
  toldBy,
} from '#lib/alerting/decide/notified-failure.ts';
import { forgetHold, impactDue, superseded } from '#lib/alerting/decide/settle-held.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { policyAsRead } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { aggregate } from './next-state.ts';
import type { FeedItem, TransitionCause } from './transition.ts';

export type StateChangeInput = {
  /** The check as it was read. */
  check: CheckItem;
  to: CheckState;
  cause: TransitionCause;
  /** Epoch ms from which the new state counts; without it, now. */
  effective_at?: number;
  error_message: string;
  /** Epoch ms. */
  now: number;
  /** The account's. */
  retention_days: number;
};

export type StateChange = {
  at: number;
  transition: DecidedTransition;
  /** What becomes of the check: merge it into the next version. */
  check: Pick<CheckItem, 'state' | 'state_since' | 'effective_at' | 'alerts'>;
  entity: EntityItem;
  /** Transition, feed, entity, deadlines and the condition on the policy; the check's own write is the caller's. */
  writes: Write[];
  /** Deadlines that begin with it: to be sent once it is written (lib/schedule/jobs.ts). */
  deadlines: DueDeadline[];
};

/**
 * Pure: a change of a check's state as one transition, the entity's next version, and the alert decision, cooldown
 * included. Sequence and time order the entity's chain: each transition is later than the one before, whatever the
 * clocks of two writers say.
 */
export function changeState(keys: Keys, token: string, basis: Basis, change: StateChangeInput): StateChange {
  const { entity, policy, storedPolicy } = basis;
  const { check, to, cause, now } = change;
  const at = Math.max(now, entity.last_transition_at + 1);
  // Behind what a clock that ran ahead has recorded, alerting still goes by the present time.
  const alertAt = pastOrZero(at, now) || now;
  // Of pushes whose times lie back, none reaches behind the state that held until now.
  const effective_at = Math.max(Math.min(change.effective_at ?? at, at), check.effective_at ?? 0);
  const seq = entity.seq + 1;
  const timestamp = iso(at);
  const expires_at = historyExpiry(at, change.retention_days);
  const transition_id = derivedId('trn', at, entity.id, seq, token);

  const checks = { ...entity.checks, [check.id]: to };
  if (cause === 'check_deleted') delete checks[check.id];
  const state = aggregate(checks);
  const key = keys.transition(check.tenant_id, check.id, at, seq);
  const own = ownIncident(entity, basis.incident, { transition_id });
  const incident = incidentOfChange(keys, basis, { to, state, since: effective_at, now: alertAt, id: own.id });
  const { item, lookAt, hold, alerts, ...decided } = alertOfChange(keys, {
    ...{ check, to, cause, policy, entity, incident, at, alertAt, hold: basis.deadlines.hold, pages: basis.pages },
    incident_id: to === 'down' ? own.id : entity.incident?.id,
    transition: { transition_id, sk: key.sk, expires_at },
  });
  const partOf = entity.incident ?? (opensIncident(basis, change, decided) ? own : undefined);
  const nextEntity: EntityItem = {
    ...entity,
    v: token,
    checks,
    seq,
    last_transition_at: at,
    ...(partOf && { incident: partOf }),
    ...(state !== entity.state && { state, state_since: timestamp }),
  };
  const down_checks = Object.values(checks).filter((one) => one === 'down').length;
  const transition: DecidedTransition = {
    ...key,
    v: token,
    expires_at,
    transition_id,
    entity_id: entity.id,
    entity_name: entity.name,
    blueprint_slug: entity.blueprint_slug,
    entity_slug: entity.slug,
    check_id: check.id,
    tenant_id: check.tenant_id,
    from_state: entity.state,
    to_state: state,
    check_from_state: check.state,
    check_to_state: to,
    timestamp,
    cause,
    error_message: change.error_message,
    ...decided,
    check_label: checkLabel(check),
    check_from_since: check.state_since,
    effective_at,
    outage_started_at: to === 'down' ? iso(effective_at) : null,
    ...(partOf && { incident: partOf }),
    ...(down_checks > 0 && { down_checks }),
    ...(endsIncident(basis.incident, incident) && { ends_incident: true }),
    seq,
  };

  const deadlines = deadlinesOf(basis, change, alertAt, { lookAt, hold });
  const escalation = escalationChange(keys, check, token, { before: check.alerts, after: alerts, policy });

  const isTold = item?.kind === 'state_change' && to === 'down';
  const impact = isTold ? impactDue(keys, token, { check, entity, policy, now: alertAt }) : undefined;

  const feedEntry: FeedItem = {
    ...keys.feedEntry(check.tenant_id, entity.id, at, transition_id),
    expires_at,
    entity_id: entity.id,
    check_id: check.id,
    transition_sk: transition.sk,
  };

  return {
    at,
    transition,
    check: { state: to, state_since: timestamp, effective_at, alerts },
    entity: nextEntity,
    writes: [
      { put: transition, if: 'absent' },
      ...(item ? [{ put: item, if: 'absent' as const }] : []),
      ...(item && to === 'down' ? paged(keys, basis, item, token, alertAt) : []),
      ...(basis.held ? superseded(basis.held, basis.deadlines.hold, token, at) : []),
      ...forgetHold(keys, check, basis.deadlines.hold),
      ...incidentWrites(basis.incident, toldBy(item, incident, { to, at: alertAt }), token, alertAt),
      { put: feedEntry },
      { put: nextEntity, if: { version: entity.v } },
      policyAsRead(keys, check, storedPolicy),
      ...deadlines.flatMap(({ kind, next }) => deadlineWrites(keys, kind, check, token, basis.deadlines[kind], next)),
      ...escalation.writes,
      ...(impact?.writes ?? []),
    ],
    deadlines: [
      ...escalation.deadlines,
      ...(impact?.deadlines ?? []),
      ...deadlines.flatMap(({ kind, next }) => (next ? [dueDeadline(kind, check, next.deadline)] : [])),
    ],
  };
}
