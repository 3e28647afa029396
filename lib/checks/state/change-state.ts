import { historyExpiry } from '#lib/access/retention.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel } from '#lib/checks/types/registry.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { aggregate } from './next-state.ts';
import type { ReadForChange } from './on-change.ts';
import type { FeedItem, TransitionCause, TransitionItem } from './transition.ts';

export type StateChangeInput = {
  check: CheckItem;
  to: CheckState;
  cause: TransitionCause;
  /** Epoch ms from which the new state counts. Default: the time of the transition. */
  effective_at?: number;
  error_message: string;
  /** Epoch ms. */
  now: number;
  retention_days: number;
};

export type ChangedState = {
  at: number;
  transition: TransitionItem;
  check: Pick<CheckItem, 'state' | 'state_since' | 'error_message' | 'effective_at' | 'alerts'>;
  entity: EntityItem;
  /** Transition, feed, entity, and writes of alerting; the caller writes the check. */
  writes: Write[];
  deadlines: DueDeadline[];
};

/** Builds a state change. Pure. Transitions of an entity have ascending times, even if the clock was set back. */
export function changeState(
  keys: Keys,
  token: string,
  { entity, decide }: ReadForChange,
  change: StateChangeInput,
): ChangedState {
  const { check, to, cause, now } = change;
  const at = Math.max(now, entity.last_transition_at + 1);
  // A push can report a past time, but the new state does not start before the current one.
  const effective_at = Math.max(Math.min(change.effective_at ?? at, at), check.effective_at ?? 0);
  const seq = entity.seq + 1;
  const timestamp = iso(at);
  const expires_at = historyExpiry(at, change.retention_days);
  const transition_id = derivedId('trn', at, entity.id, seq, token);
  const key = keys.transition(check.tenant_id, check.id, at, seq);

  const checks = { ...entity.checks, [check.id]: to };
  if (cause === 'check_deleted') delete checks[check.id];
  const state = aggregate(checks);
  const decided = decide(
    {
      ...{ check, to, cause, at, now, effective_at },
      entity_state: state,
      transition: { transition_id, sk: key.sk, expires_at },
    },
    token,
  );
  const nextEntity: EntityItem = {
    ...entity,
    v: token,
    checks,
    seq,
    last_transition_at: at,
    ...decided.entity,
    ...(state !== entity.state && { state, state_since: timestamp }),
  };
  const down_checks = Object.values(checks).filter((checkState) => checkState === 'down').length;
  const transition: TransitionItem = {
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
    check_label: checkLabel(check),
    check_from_since: check.state === 'down' && check.effective_at ? iso(check.effective_at) : check.state_since,
    effective_at,
    outage_started_at: to === 'down' ? iso(effective_at) : null,
    ...(down_checks > 0 && { down_checks }),
    seq,
    ...decided.transition,
  };
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
    check: {
      state: to,
      state_since: timestamp,
      error_message: change.error_message,
      effective_at,
      alerts: decided.alerts,
    },
    entity: nextEntity,
    writes: [
      { put: transition, if: 'absent' },
      { put: feedEntry },
      { put: nextEntity, if: { version: entity.v } },
      ...decided.writes,
    ],
    deadlines: decided.deadlines,
  };
}
