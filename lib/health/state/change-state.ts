import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { deliveryIdOf } from '#lib/checks/delivery-id.ts';
import { checkLabel } from '#lib/checks/label.ts';
import { canAlert, type Policy, type PolicyItem, shown } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { type AlertingHead, alertingOf } from '#lib/health/alerting/account-alerting.ts';
import { channelsThatApply, effectivePolicy, silenceLook } from '#lib/health/alerting/effective-policy.ts';
import { historyExpiry } from '#lib/health/history/retention.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import { cancelDeadline, type DeadlineEntry, deadlineWrites, mergeDeadline } from '#lib/schedule/deadlines.ts';
import type { Deadline } from '#lib/schedule/entries.ts';
import { announce, announcedState, announcementOf } from './announced.ts';
import { cooldownEnd, startCooldown, type Urgency, urgencyOf, whySkipped } from './decide-alert.ts';
import { countChange, flapNote, toldAgainAt, toldFlapping, uncounted } from './flapping.ts';
import { aggregate } from './next-state.ts';
import type { ClosingNote, FeedItem, TransitionItem } from './transition-item.ts';
import type { SkipReason, TransitionCause } from './transition-record.ts';

/** What a state change is decided on, read strongly; the writes hold it to these versions. */
export type Basis = {
  entity: EntityItem;
  policy: Policy;
  /** Version of what is set on the check itself; absent where nothing is. */
  policyVersion?: string;
  deadlines: Partial<Record<AlertDeadline, DeadlineEntry>>;
};

/** The deadlines that begin and end with a change of state. */
const ALERT_DEADLINES = ['repeat', 'catch_up'] as const;
type AlertDeadline = (typeof ALERT_DEADLINES)[number];

/** Reads what a change of a check's state touches; undefined when the entity is gone. */
export async function readBasis({ ports, keys }: Env, check: CheckItem): Promise<Basis | undefined> {
  const [entity, stored, head, ...deadlines] = await ports.table.getMany<
    [EntityItem, PolicyItem, AlertingHead, ...DeadlineEntry[]]
  >([
    keys.entity(check.tenant_id, check.entity_id),
    keys.policy(check.tenant_id, check.id),
    keys.alertingHead(check.tenant_id),
    ...ALERT_DEADLINES.map((kind) => keys.entry(kind, check.tenant_id, check.id)),
  ]);
  if (!entity) return undefined;
  const account = await alertingOf({ ports, keys }, check.tenant_id, head);
  return {
    entity,
    policy: effectivePolicy(stored, { check, entity, account, now: ports.clock.now() }),
    ...(stored && { policyVersion: stored.v }),
    deadlines: Object.fromEntries(ALERT_DEADLINES.flatMap((kind, i) => (deadlines[i] ? [[kind, deadlines[i]]] : []))),
  };
}

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
  transition: TransitionItem;
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
  const { entity, policy, policyVersion } = basis;
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
  const nextEntity: EntityItem = {
    ...entity,
    v: token,
    checks,
    seq,
    last_transition_at: at,
    ...(state !== entity.state && { state, state_since: timestamp }),
  };

  const counted = withChange(basis, change, alertAt);
  const announces = announcementOf(to, policy);
  const channels = channelsThatApply(policy, announces);
  const reason = whySkipped({ cause, from: check.state, to, at: alertAt }, counted, { ...policy, channels });
  const channel_ids = reason === null ? channels.map((channel) => channel.id) : [];
  const transition: TransitionItem = {
    ...keys.transition(check.tenant_id, check.id, at, seq),
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
    alert: {
      decision: reason === null ? 'planned' : 'skipped',
      reason,
      deliveries: channel_ids.map((channel) => deliveryIdOf(transition_id, at, 'state_change', 0, channel)),
    },
    channel_ids,
    announces,
    ...(reason === null && counted.flapping && { flapping: flapNote(counted, policy, alertAt) }),
    check_label: checkLabel(check),
    check_from_since: check.state_since,
    effective_at,
    outage_started_at: to === 'down' ? iso(effective_at) : null,
    seq,
  };

  const closing = reason === 'configuration' ? closingNote(check, policy, transition_id, at) : undefined;
  if (closing) transition.closing = closing;
  const alerts = remember(counted, { transition, urgency: urgencyIn(basis, change), at: alertAt });
  const deadlines = deadlinesOf(basis, change, alertAt, { reason, alerts });

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
      { put: feedEntry },
      { put: nextEntity, if: { version: entity.v } },
      { check: keys.policy(check.tenant_id, check.id), if: policyVersion ? { version: policyVersion } : 'absent' },
      ...deadlines.flatMap(({ kind, next }) => deadlineWrites(keys, kind, check, token, basis.deadlines[kind], next)),
    ],
    deadlines: deadlines.flatMap(({ kind, next }) => {
      const { tenant_id, entity_id, id: check_id } = check;
      return next ? [{ kind, tenant_id, entity_id, check_id, at: next.deadline }] : [];
    }),
  };
}

/** What alerting remembers of the check with one more change; one that nobody might be told of does not count. */
function withChange({ policy }: Basis, { check, to, cause }: StateChangeInput, at: number): CheckItem['alerts'] {
  if (cause !== 'result' && cause !== 'silence') return uncounted(check.alerts);
  const counts = check.state !== 'unknown' && shown(check.state, policy) !== shown(to, policy);
  return counts ? countChange(check.alerts, policy, at) : check.alerts;
}

const urgencyIn = ({ policy }: Basis, { check, to }: StateChangeInput): Urgency =>
  urgencyOf(shown(check.state, policy), shown(to, policy));

type Decided = { transition: TransitionItem; urgency: Urgency; at: number };

/** What it remembers once the alert is decided. */
function remember(
  alerts: CheckItem['alerts'],
  { transition: { transition_id, announces, alert, closing }, urgency, at }: Decided,
): CheckItem['alerts'] {
  if (closing) return { ...alerts, announced: announce(alerts, { id: closingId(transition_id), announces: 'up' }) };
  if (alert.decision === 'skipped') return alerts;
  return {
    ...alerts,
    ...startCooldown(urgency, at),
    ...toldFlapping(alerts),
    announced: announce(alerts, { id: transition_id, announces }),
  };
}

/** Names the closing note of a transition among the alerts of its check. */
export const closingId = (transition_id: string): string => `${transition_id}/closed`;

/** Channels that may believe a check other than up get a closing note when it goes away (docs/CONTRACT.md#alerts). */
function closingNote(check: CheckItem, policy: Policy, transition_id: string, at: number): ClosingNote | undefined {
  if (announcedState(check.alerts) === 'up' || !canAlert(policy)) return undefined;
  const channel_ids = channelsThatApply(policy, 'up').map((channel) => channel.id);
  if (channel_ids.length === 0) return undefined;
  return { channel_ids, deliveries: channel_ids.map((id) => deliveryIdOf(transition_id, at, 'closed', 0, id)) };
}

type NextDeadline = { kind: AlertDeadline; next: Deadline | undefined };

/** Repeats go on while the check is down; what the cooldown or flapping holds back is looked at when that ends. */
function deadlinesOf(
  basis: Basis,
  change: StateChangeInput,
  at: number,
  { reason, alerts }: { reason: SkipReason | null; alerts: CheckItem['alerts'] },
): NextDeadline[] {
  const { policy, deadlines } = basis;
  const changed: NextDeadline[] = [];
  const repeat = policy.repeat_interval_seconds * 1000;
  if (change.to === 'down' && repeat > 0) {
    changed.push({ kind: 'repeat', next: mergeDeadline(cancelDeadline(deadlines.repeat), { deadline: at + repeat }) });
  } else if (deadlines.repeat) {
    changed.push({ kind: 'repeat', next: cancelDeadline(deadlines.repeat) });
  }
  const lookAt =
    reason === 'silenced'
      ? silenceLook(policy, at)
      : reason === 'cooldown'
        ? cooldownEnd(alerts, policy, urgencyIn(basis, change), at)
        : toldAgainAt(alerts, policy);
  if (lookAt !== undefined && policy.catch_up) {
    changed.push({ kind: 'catch_up', next: mergeDeadline(deadlines.catch_up, { deadline: lookAt }) });
  }
  return changed;
}
