import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { type Channel, type PolicyItem, shown } from '#lib/checks/policy-item.ts';
import { announce, announcementOf } from '#lib/health/state/announced.ts';
import { withFailure } from '#lib/health/state/failures.ts';
import {
  countChange,
  type FlapNote,
  flapNote,
  toldAgainAt,
  toldFlapping,
  uncounted,
} from '#lib/health/state/flapping.ts';
import type { TransitionCause } from '#lib/health/state/transition-record.ts';
import type { Keys } from '#lib/keys.ts';
import { iso } from '#lib/platform/time.ts';
import { type AlertItem, alertItem, deliveriesOf } from './alert-item.ts';
import { type Decided, decide } from './decide.ts';
import type { AlertDecision, AlertReason } from './decision.ts';
import { classOf, startCooldown } from './rules/cooldown.ts';
import { type DecidedOn, decidedOn, type Situation } from './situation.ts';

/** A change of a check's state, and the policy and channels in force. */
type Change = {
  check: CheckItem;
  to: CheckState;
  cause: TransitionCause;
  policy: PolicyItem;
  /** Those that apply. */
  channels: readonly Channel[];
  transition: { transition_id: string; sk: string; expires_at: number };
  /** Epoch ms of the transition. */
  at: number;
  /** Epoch ms by which alerting goes: the present time, also behind what a clock that ran ahead has recorded. */
  alertAt: number;
};

/** What a change of state means for alerting. */
type AlertOfChange = {
  /** As the transition holds it, and what it was decided on. */
  alert: AlertDecision;
  decided_on: DecidedOn;
  /** The alert is the first to say that the check flaps. */
  flapping?: FlapNote;
  /** What goes out: its alert, or the closing note of a check that is disabled or deleted. */
  item?: AlertItem;
  /** What the check remembers of it. */
  alerts: CheckItem['alerts'];
  /** Epoch ms at which what was held back is looked at again. */
  lookAt: number | undefined;
};

/** Pure: decides whether a change of state is announced, by the rules in their order. */
export function alertOfChange(keys: Keys, change: Change): AlertOfChange {
  const { policy, to, alertAt } = change;
  const counted = withChange(change);
  const { situation, decided_on } = situationOf(change, counted);
  const decided = decide(situation);
  const item = decided.decision === 'planned' ? stateChangeAlert(keys, change) : closingNote(keys, change, decided);
  const isTold = item?.kind === 'state_change';
  const alerts: CheckItem['alerts'] = {
    ...counted,
    ...(isTold && { ...startCooldown(classOf(situation), alertAt), ...toldFlapping(counted) }),
    ...(item && {
      announced: announce(counted, { id: item.id, announces: item.announces ?? announcementOf(to, policy) }),
    }),
  };
  return {
    alert: {
      decision: decided.decision,
      // Only rules with a name among those judge a change of state.
      reason: decided.reason as AlertReason | null,
      deliveries: isTold ? deliveriesOf(item) : [],
      urgency: 'high',
      because: null,
      facts: decided.facts,
      decided_at: iso(change.at),
    },
    decided_on,
    ...(isTold && counted.flapping && { flapping: flapNote(counted, policy, alertAt) }),
    ...(item && { item }),
    alerts,
    lookAt: decided.reason === 'cooldown' ? decided.until : toldAgainAt(alerts, policy),
  };
}

/** What alerting remembers of the check with one more change; one that nobody might be told of does not count. */
function withChange({ policy, check, to, cause, alertAt }: Change): CheckItem['alerts'] {
  if (cause !== 'result' && cause !== 'silence') return uncounted(check.alerts);
  const before = to === 'down' ? withFailure(check.alerts, alertAt) : check.alerts;
  const counts = check.state !== 'unknown' && shown(check.state, policy) !== shown(to, policy);
  return counts ? countChange(before, policy, alertAt) : before;
}

function situationOf(change: Change, counted: CheckItem['alerts']): { situation: Situation; decided_on: DecidedOn } {
  const { check, policy, channels, cause, to, alertAt } = change;
  const decided_on = decidedOn(check, counted, policy, channels, alertAt);
  return { decided_on, situation: { ...decided_on, kind: 'state_change', cause, from: check.state, to } };
}

const stateChangeAlert = (keys: Keys, change: Change): AlertItem =>
  alertItem(keys, { ...aboutOf(change), kind: 'state_change', announces: announcementOf(change.to, change.policy) });

/** Channels that may believe a check other than up get a closing note when it goes away (docs/CONTRACT.md#alerts). */
function closingNote(keys: Keys, change: Change, { reason }: Decided): AlertItem | undefined {
  if (reason !== 'configuration') return undefined;
  const { check, policy, channels, cause, to, alertAt } = change;
  const given = decidedOn(check, check.alerts, policy, channels, alertAt);
  const situation: Situation = { ...given, asked: true, kind: 'closed', cause, from: check.state, to };
  if (decide(situation).decision !== 'planned') return undefined;
  return alertItem(keys, { ...aboutOf(change), kind: 'closed', announces: 'up' });
}

const aboutOf = ({ check, channels, transition, at }: Change) => ({
  tenant_id: check.tenant_id,
  check_id: check.id,
  entity_id: check.entity_id,
  transition,
  expires_at: transition.expires_at,
  at,
  n: 0,
  channels,
});
