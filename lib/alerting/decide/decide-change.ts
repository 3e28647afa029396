import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { type AlertChannel, destinationOf, type Policy, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { AlertUrgency, FlapNote } from '#lib/channels/alert.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Consequences, ReadForChange, StateChange } from '#lib/checks/state/on-change.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { type AlertItem, alertItem, deliveriesOf, destinationOfTarget } from './alert-item.ts';
import { type AlertDeadline, readCheckAlerting } from './check-alerting.ts';
import { escalationChange, withEscalationStarted } from './escalation.ts';
import { holdCauseOf, impactUpdateDeadline, newHold, supersededWrites, unlinkFromRoot } from './final-decision.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from './notes.ts';
import {
  endsFailure,
  isRecentlyNotified,
  type NotifiedFailureItem,
  notifiedFailureAfter,
  notifiedFailureWrites,
  ownIncident,
  withNotifiedBy,
} from './notified-failure.ts';
import {
  afterNotifying,
  countChange,
  flapNote,
  flappingEndsAt,
  reportedStateOf,
  withEpisode,
  withFailure,
  withNotifiedAlerts,
  withoutChangeCount,
  withoutNotifiedAlerts,
} from './notified-state.ts';
import { isOverPageBudget, type PageCounts, pageCountWrites, readPageCounts } from './page-budget.ts';
import { classOf } from './quiet-rules.ts';
import { recoveryRecipients } from './recipients.ts';
import {
  awaitedRemediation,
  type ChangeSituation,
  type DecisionInput,
  decisionInputOf,
  heldIn,
  laterRecipients,
  type RuleInput,
} from './rule-input.ts';
import { type Decided, decide } from './rules.ts';
import type { AlertDecision, DecidedTransition } from './transition.ts';

/** A change of a check's state, and the policy in force. */
type Change = Pick<StateChange, 'check' | 'to' | 'cause' | 'transition' | 'at'> & {
  policy: Policy;
  entity: Pick<EntityItem, 'dependencies'>;
  /** The deadline of an alert of it that is held, if one is. */
  hold: DeadlineEntry | undefined;
  /** The failure of its entity, where others depend on that. */
  incident?: NotifiedFailureItem | undefined;
  /** The incident that its alert belongs to. */
  incident_id: string | undefined;
  /** When its destinations were paged, where that counts. */
  pages?: PageCounts | undefined;
  /** Epoch ms by which alerting goes: the present time, also behind what a clock that ran ahead has recorded. */
  alertAt: number;
};

/** What a change of state means for alerting. */
type AlertOfChange = {
  /** As the transition holds it, and what it was decided on. */
  alert: AlertDecision;
  decided_on: DecisionInput;
  /** The alert is the first to say that the check flaps. */
  flapping?: FlapNote;
  /** What goes out: its alert, or the closing note of a check that is disabled or deleted. */
  item?: AlertItem;
  /** What the check remembers of it. */
  alerts: CheckItem['alerts'];
  /** Epoch ms at which what was held back is looked at again. */
  lookAt: number | undefined;
  /** Its alert is held: when that is looked at, and what for. */
  hold?: Deadline;
};

/** Pure: decides whether a change of state is announced, by the rules in their order. */
function decideStateChangeAlert(keys: Keys, change: Change): AlertOfChange {
  const { policy, to, alertAt } = change;
  const counted = withEpisode(withChange(change), to, policy, change.transition.transition_id);
  const { situation, decided_on } = changeRuleInputOf(change, counted);
  const decided = decide(situation);
  const urgency = urgencyOf(change);
  const item =
    decided.decision === 'planned' ? stateChangeAlert(keys, change, urgency) : closingNote(keys, change, decided);
  const isTold = item?.kind === 'state_change';
  const hold = decided.decision === 'held' ? newHold(change, alertAt, decided) : undefined;
  const planned = item ? [{ id: item.id, reports_state: item.reports_state ?? reportedStateOf(to, policy) }] : [];
  const remembered = isTold
    ? afterNotifying(counted, planned, classOf(situation), alertAt)
    : withNotifiedAlerts(nobodyKnows(decided, situation) ? withoutNotifiedAlerts(counted) : counted, planned);
  const isCalled = isTold || decided.reason === 'no_channels';
  const alerts = isCalled
    ? withEscalationStarted(remembered, policy, reportedStateOf(to, policy), alertAt)
    : remembered;
  return {
    alert: {
      decision: decided.decision,
      reason: decided.reason,
      deliveries: isTold ? deliveriesOf(item) : [],
      urgency,
      attributed_to: hold ? holdCauseOf(hold) : null,
      facts: decided.facts,
      decided_at: iso(change.at),
    },
    decided_on,
    ...(isTold && counted.flapping && { flapping: flapNote(counted, policy, alertAt) }),
    ...(item && { item }),
    alerts,
    lookAt: lookAt(decided) ?? flappingEndsAt(alerts, policy),
    ...(hold && { hold }),
  };
}

/** Its recovery is told to nobody as nobody was told of the failure, or whoever was is no channel of it any more. */
const nobodyKnows = ({ decision, reason }: Decided, { to, policy }: RuleInput): boolean =>
  decision === 'skipped' && reason === 'dependency' && stateForAlerting(to, policy) === 'up';

/** When what was held back is looked at again, which says by itself when that is over. */
const lookAt = ({ reason, until }: Decided): number | undefined =>
  reason === 'cooldown' || reason === 'silenced' ? until : undefined;

/** What alerting remembers of the check with one more change; one that nobody might be told of does not count. */
function withChange({ policy, check, to, cause, alertAt }: Change): CheckItem['alerts'] {
  if (cause !== 'result' && cause !== 'missed_heartbeat') return withoutChangeCount(check.alerts);
  const before = to === 'down' ? withFailure(check.alerts, alertAt) : check.alerts;
  const counts = check.state !== 'unknown' && stateForAlerting(check.state, policy) !== stateForAlerting(to, policy);
  return counts ? countChange(before, policy, alertAt) : before;
}

function changeRuleInputOf(
  change: Change,
  counted: CheckItem['alerts'],
): { situation: ChangeSituation; decided_on: DecisionInput } {
  const { check, policy, entity, cause, to, alertAt: at } = change;
  const { dependencies } = entity;
  const channels = channelsOf(change);
  const decided_on: DecisionInput = {
    ...decisionInputOf(check, counted, policy, channels, at),
    ...heldIn(change.hold),
    ...(dependencies > 0 && { dependencies }),
    ...laterRecipients(policy, reportedStateOf(to, policy), channels),
    ...awaitedRemediation(check, to, at),
  };
  return { decided_on, situation: { ...decided_on, kind: 'state_change', cause, from: check.state, to } };
}

/** Those that apply; of a failure that is over, those that are to hear so. */
function channelsOf({ check, hold, to, policy }: Change): readonly AlertChannel[] {
  const channels = recipientsFor(policy, reportedStateOf(to, policy), check.alerts);
  return stateForAlerting(to, policy) === 'up' ? recoveryRecipients(hold, channels, check.alerts) : channels;
}

/** Low for whoever heard of the same failure a moment ago, by an alert that names it, or was paged too often. */
function urgencyOf(change: Change): AlertUrgency {
  const { to, incident, alertAt, pages } = change;
  const channels = channelsOf(change);
  const heard = (channel: AlertChannel) => {
    const destination = destinationOf(channel);
    return isRecentlyNotified(incident, destination, alertAt) || isOverPageBudget(pages, destination, alertAt);
  };
  return to === 'down' && channels.length > 0 && channels.every(heard) ? 'low' : 'high';
}

const stateChangeAlert = (keys: Keys, change: Change, urgency: AlertUrgency): AlertItem =>
  alertItem(keys, {
    ...aboutOf(change),
    ...(change.incident && { with_others: true }),
    ...{ urgency, kind: 'state_change', reports_state: reportedStateOf(change.to, change.policy) },
    channels: channelsOf(change),
  });

/**
 * Channels that may believe a check other than up get a closing note when it goes away
 * (docs/use/alerts.md#late-alerts).
 */
function closingNote(keys: Keys, change: Change, { reason }: Decided): AlertItem | undefined {
  if (reason !== 'configuration') return undefined;
  const { check, policy, hold, cause, to, alertAt: at } = change;
  const channels = recoveryRecipients(hold, recipientsFor(policy, 'up', check.alerts), check.alerts);
  const given = decisionInputOf(check, check.alerts, policy, channels, at);
  const situation: RuleInput = { ...given, kind: 'closed', cause, from: check.state, to };
  if (decide(situation).decision !== 'planned') return undefined;
  return alertItem(keys, { ...aboutOf(change), kind: 'closed', reports_state: 'up', channels });
}

const aboutOf = ({ check, transition, at, incident_id }: Change) => ({
  ...(incident_id !== undefined && { incident_id }),
  tenant_id: check.tenant_id,
  check_id: check.id,
  entity_id: check.entity_id,
  transition,
  expires_at: transition.expires_at,
  at,
  n: 0,
});

/** What a state change is decided on. The writes hold it to the versions that were read. */
export type ChangeBasis = {
  entity: EntityItem;
  policy: Policy;
  policyAsRead: Write;
  deadlines: { readonly [kind in AlertDeadline]?: DeadlineEntry | undefined };
  /** The failure of its entity that others depend on, the present or the last one. */
  incident?: NotifiedFailureItem | undefined;
  /** When its destinations were paged, where its entity has relations and it may go down. */
  pages?: PageCounts;
  /** The transition whose alert is held, if one is. */
  held?: DecidedTransition | undefined;
};

/** Reads what a change of a check's state is decided on; undefined when the entity is gone. */
export async function readForChange(env: Env, check: CheckItem): Promise<ReadForChange | undefined> {
  const { ports, keys } = env;
  const read = await readCheckAlerting(env, check, {
    check,
    deadlines: ['reminder', 'late', 'hold'],
    incident: true,
  });
  if (!read.entity) return undefined;
  const { entity, policy } = read;
  const sk = read.deadlines.hold?.note?.held?.transition_sk;
  const held = sk && (await ports.table.get<DecidedTransition>({ pk: keys.ofCheck(check.tenant_id, check.id), sk }));
  const counts = check.state !== 'down' && entity.dependents + entity.dependencies > 0;
  const destinations = counts ? recipientsFor(policy, 'down', check.alerts).map(destinationOf) : [];
  const basis: ChangeBasis = {
    ...read,
    ...(destinations.length > 0 && { pages: await readPageCounts(env, check.tenant_id, destinations) }),
    ...(held && { held }),
  };
  return { entity, decide: (change, token) => decideChange(keys, basis, change, token) };
}

/** Decides the alert of a change of state, and all that alerting writes with it. Pure. */
export function decideChange(keys: Keys, basis: ChangeBasis, change: StateChange, token: string): Consequences {
  const { entity, policy } = basis;
  const { check, to, cause, at, now } = change;
  // Behind what a clock that ran ahead has recorded, alerting still goes by the present time.
  const alertAt = pastOrZero(at, now) || now;
  const own = ownIncident(entity, basis.incident, change.transition);
  const incident = notifiedFailureAfter(keys, basis, {
    ...{ to, state: change.entity_state, since: change.effective_at, now: alertAt, id: own.id },
  });
  const { item, lookAt, hold, alerts, ...decided } = decideStateChangeAlert(keys, {
    ...{ check, to, cause, policy, entity, incident, at, alertAt, hold: basis.deadlines.hold, pages: basis.pages },
    incident_id: to === 'down' ? own.id : entity.incident?.id,
    transition: change.transition,
  });
  const partOf = entity.incident ?? (opensIncident(basis, change, decided) ? own : undefined);
  const transition: Omit<DecidedTransition, keyof TransitionItem> = {
    ...decided,
    ...(partOf && { incident: partOf }),
    ...(endsFailure(basis.incident, incident) && { ends_incident: true }),
  };
  const deadlines = deadlinesOf(basis, change, alertAt, { lookAt, hold });
  const escalation = escalationChange(keys, check, token, { before: check.alerts, after: alerts, policy });
  const isTold = item?.kind === 'state_change' && to === 'down';
  const impact = isTold ? impactUpdateDeadline(keys, token, { check, entity, policy, now: alertAt }) : undefined;
  return {
    transition,
    entity: partOf ? { incident: partOf } : {},
    alerts,
    writes: [
      ...(item ? [{ put: item, if: 'absent' as const }] : []),
      ...(item && to === 'down' ? paged(keys, basis, item, token, alertAt) : []),
      ...(basis.held ? supersededWrites(basis.held, basis.deadlines.hold, token, at) : []),
      ...unlinkFromRoot(keys, check, basis.deadlines.hold),
      ...notifiedFailureWrites(basis.incident, withNotifiedBy(item, incident, { to, at: alertAt }), token, alertAt),
      basis.policyAsRead,
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

/**
 * Whether a change opens the incident of its entity: a failure that was found out, outside of maintenance. What may
 * follow from another failure waits until that is known (lib/incidents).
 */
const opensIncident = (
  { entity, policy }: ChangeBasis,
  { to, cause }: StateChange,
  { alert }: Pick<DecidedTransition, 'alert'>,
): boolean =>
  to === 'down' &&
  (cause === 'result' || cause === 'missed_heartbeat') &&
  policy.window === undefined &&
  (entity.dependencies === 0 || alert.decision === 'planned');

/** The page that an alert for down is to each of its destinations, where that is counted. */
function paged(keys: Keys, { pages }: ChangeBasis, { tenant_id, urgency, to }: AlertItem, token: string, now: number) {
  if (!pages || urgency === 'low') return [];
  return pageCountWrites(keys, tenant_id, { pages, destinations: to.map(destinationOfTarget) }, token, now);
}

type NextDeadline = { kind: 'reminder' | 'late' | 'hold'; next: Deadline | undefined };

/** Repeats go on while the check is down; what the cooldown or flapping holds back is looked at when that ends. */
function deadlinesOf(
  { policy, deadlines }: ChangeBasis,
  { to }: StateChange,
  at: number,
  { lookAt, hold }: { lookAt: number | undefined; hold: Deadline | undefined },
): NextDeadline[] {
  const changed: NextDeadline[] = [];
  const repeat = policy.repeat_interval_seconds * 1000;
  if (to === 'down' && repeat > 0) changed.push({ kind: 'reminder', next: { deadline: at + repeat } });
  else if (deadlines.reminder) changed.push({ kind: 'reminder', next: undefined });
  if (lookAt !== undefined && policy.late_alerts)
    changed.push({ kind: 'late', next: mergeDeadline(deadlines.late, { deadline: lookAt }) });
  if (hold || deadlines.hold) changed.push({ kind: 'hold', next: hold });
  return changed;
}
