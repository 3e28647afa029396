import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { type AlertChannel, destinationOf, type Policy, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { AlertUrgency, FlappingFigures } from '#lib/channels/alert.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Consequences, ReadForChange, StateChange } from '#lib/checks/state/on-change.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso, pastOrZero } from '#lib/platform/time.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { type AlertItem, alertItem, deliveriesOf, destinationOfTarget } from './alert-item.ts';
import { type AlertDeadlineKind, readCheckAlerting } from './check-alerting.ts';
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
  earlierFailures,
  flappingEndsAt,
  flappingFigures,
  reportedStateOf,
  withEpisode,
  withFailure,
  withFailureOver,
  withNotifiedAlerts,
  withoutChangeCount,
  withoutNotifiedAlerts,
  withSuppressedFailure,
} from './notified-state.ts';
import { isOverPageBudget, pageCountWrites, readUrgentAlertCounts, type UrgentAlertCounts } from './page-budget.ts';
import { cooldownAfter } from './quiet-rules.ts';
import { recoveryRecipients } from './recipients.ts';
import {
  awaitedRemediation,
  type ChangeRuleInput,
  type DecisionInput,
  decisionInputOf,
  heldIn,
  laterRecipients,
  type RuleInput,
} from './rule-input.ts';
import { type Decided, decide, lateAt } from './rules.ts';
import type { AlertDecision, DecidedTransition } from './transition.ts';

type Change = Pick<StateChange, 'check' | 'to' | 'cause' | 'transition' | 'at'> & {
  policy: Policy;
  entity: Pick<EntityItem, 'dependencies'>;
  /** Deadline of the held alert of the check, if any. */
  hold: DeadlineEntry | undefined;
  /** Notified failure of its entity, if others depend on the entity. */
  notifiedFailure?: NotifiedFailureItem | undefined;
  incident_id: string | undefined;
  pages?: UrgentAlertCounts | undefined;
  /** Epoch ms used by alerting: `at`, or the present time if a fast clock recorded `at` in the future. */
  alertAt: number;
};

type AlertOfChange = {
  alert: AlertDecision;
  decided_on: DecisionInput;
  /** Set if the alert is the first to report that the check flaps. */
  flapping?: FlappingFigures;
  /** The alert, or the closing alert of a check that is disabled or deleted. */
  item?: AlertItem;
  alerts: CheckItem['alerts'];
  /** Epoch ms of the recheck of a suppressed alert. */
  recheckAt: number | undefined;
  hold?: Deadline;
};

/** Decides by the rules, in their order, whether a state change sends an alert. Pure. */
function decideStateChangeAlert(keys: Keys, change: Change): AlertOfChange {
  const { policy, to, alertAt } = change;
  const counted = withEpisode(withChange(change), to, policy, change.transition.transition_id);
  const { input, decided_on } = changeRuleInputOf(change, counted);
  const decided = decide(input);
  const urgency = urgencyOf(change);
  const item =
    decided.decision === 'planned'
      ? stateChangeAlert(keys, change, urgency, counted)
      : closingAlert(keys, change, decided, counted);
  const isNotified = item?.kind === 'state_change';
  const hold = decided.decision === 'held' ? newHold(change, alertAt, decided) : undefined;
  const recorded = to === 'down' && isOnlyCooldown(decided, input) ? withSuppressedFailure(counted) : counted;
  const planned = item ? [{ id: item.id, reports_state: item.reports_state ?? reportedStateOf(to, policy) }] : [];
  const after = isNotified
    ? afterNotifying(counted, planned, cooldownAfter(input), alertAt)
    : withNotifiedAlerts(isRecoveryUnneeded(decided, input) ? withoutNotifiedAlerts(recorded) : recorded, planned);
  const startsEscalation = isNotified || decided.reason === 'no_channels';
  const alerts = startsEscalation ? withEscalationStarted(after, policy, reportedStateOf(to, policy), alertAt) : after;
  return {
    alert: {
      decision: decided.decision,
      reason: decided.reason,
      deliveries: isNotified ? deliveriesOf(item) : [],
      urgency,
      attributed_to: hold ? holdCauseOf(hold) : null,
      facts: decided.facts,
      decided_at: iso(change.at),
    },
    decided_on,
    ...(isNotified && counted.flapping && { flapping: flappingFigures(counted, policy, alertAt) }),
    ...(item && { item }),
    alerts,
    recheckAt: lateAt(decided) ?? flappingEndsAt(alerts, policy),
    ...(hold && { hold }),
  };
}

/** Whether no current channel was notified of the failure, so that its recovery needs no alert. */
const isRecoveryUnneeded = ({ decision, reason }: Decided, { to, policy }: RuleInput): boolean =>
  decision === 'skipped' && reason === 'dependency' && stateForAlerting(to, policy) === 'up';

const isOnlyCooldown = ({ reason }: Decided, input: RuleInput): boolean =>
  reason === 'cooldown' && decide({ ...input, policy: { ...input.policy, cooldown_seconds: 0 } }).reason === null;

/**
 * Records the start or end of a failure, and counts the change towards flapping. Only a change between states that
 * alerts report counts; a change by a user resets the count.
 */
function withChange({ policy, check, to, cause, alertAt }: Change): CheckItem['alerts'] {
  const before = to === 'down' ? withFailure(check.alerts, alertAt) : withFailureOver(check.alerts, alertAt);
  if (cause !== 'result' && cause !== 'missed_heartbeat') return withoutChangeCount(before);
  const counts = check.state !== 'unknown' && stateForAlerting(check.state, policy) !== stateForAlerting(to, policy);
  return counts ? countChange(before, policy, alertAt) : before;
}

function changeRuleInputOf(
  change: Change,
  counted: CheckItem['alerts'],
): { input: ChangeRuleInput; decided_on: DecisionInput } {
  const { check, policy, entity, cause, to, alertAt: at } = change;
  const { dependencies } = entity;
  const channels = channelsOf(change);
  const decided_on: DecisionInput = {
    ...decisionInputOf(counted, policy, channels, at),
    ...heldIn(change.hold),
    ...(dependencies > 0 && { dependencies }),
    ...laterRecipients(policy, reportedStateOf(to, policy), channels),
    ...awaitedRemediation(check, to, at),
  };
  return { decided_on, input: { ...decided_on, kind: 'state_change', cause, from: check.state, to } };
}

function channelsOf({ check, hold, to, policy }: Change): readonly AlertChannel[] {
  return stateForAlerting(to, policy) === 'up'
    ? recoveryRecipients(hold, policy, check.alerts)
    : recipientsFor(policy, reportedStateOf(to, policy), check.alerts);
}

/** Returns the urgency: low if every destination was just notified of this failure or is over its page budget. */
function urgencyOf(change: Change): AlertUrgency {
  const { to, notifiedFailure, alertAt, pages } = change;
  const channels = channelsOf(change);
  const isNotUrgent = (channel: AlertChannel) => {
    const destination = destinationOf(channel);
    return isRecentlyNotified(notifiedFailure, destination, alertAt) || isOverPageBudget(pages, destination, alertAt);
  };
  return to === 'down' && channels.length > 0 && channels.every(isNotUrgent) ? 'low' : 'high';
}

function stateChangeAlert(keys: Keys, change: Change, urgency: AlertUrgency, alerts: CheckItem['alerts']): AlertItem {
  const reports_state = reportedStateOf(change.to, change.policy);
  return alertItem(keys, {
    ...aboutOf(change),
    ...(change.notifiedFailure && { shares_incident: true }),
    ...{ urgency, kind: 'state_change', reports_state, ...earlierFailures(alerts, reports_state) },
    channels: channelsOf(change),
  });
}

/** Returns the closing alert if the last notified state of the check is not up (docs/use/alerts.md#late-alerts). */
function closingAlert(
  keys: Keys,
  change: Change,
  { reason }: Decided,
  alerts: CheckItem['alerts'],
): AlertItem | undefined {
  if (reason !== 'configuration') return undefined;
  const { check, policy, hold, cause, to, alertAt: at } = change;
  const channels = recoveryRecipients(hold, policy, check.alerts);
  const given = decisionInputOf(check.alerts, policy, channels, at);
  const input: RuleInput = { ...given, kind: 'closed', cause, from: check.state, to };
  if (decide(input).decision !== 'planned') return undefined;
  const earlier = earlierFailures(alerts, 'up');
  return alertItem(keys, { ...aboutOf(change), kind: 'closed', reports_state: 'up', channels, ...earlier });
}

const aboutOf = ({ check, transition, at, incident_id }: Change) => ({
  ...(incident_id !== undefined && { incident_id }),
  tenant_id: check.tenant_id,
  check_id: check.id,
  entity_id: check.entity_id,
  transition: { ...transition, check_from_state: check.state },
  expires_at: transition.expires_at,
  at,
  n: 0,
});

/** The data that a state change is decided on. The writes require the versions that were read. */
export type ChangeBasis = {
  entity: EntityItem;
  policy: Policy;
  policyUnchanged: Write;
  deadlines: { readonly [kind in AlertDeadlineKind]?: DeadlineEntry | undefined };
  /** Notified failure of its entity, the present or the last one. */
  notifiedFailure?: NotifiedFailureItem | undefined;
  /** Recent urgent alerts of its destinations, if its entity has relations and the check is not down. */
  pages?: UrgentAlertCounts;
  /** Transition of the held alert, if any. */
  held?: DecidedTransition | undefined;
};

/** Reads the data that a state change is decided on; undefined if the entity was deleted. */
export async function readForChange(env: Env, check: CheckItem): Promise<ReadForChange | undefined> {
  const { ports, keys } = env;
  const read = await readCheckAlerting(env, check, {
    check,
    deadlines: ['reminder', 'late', 'hold'],
    notifiedFailure: true,
  });
  if (!read.entity) return undefined;
  const { entity, policy } = read;
  const sk = read.deadlines.hold?.note?.held?.transition_sk;
  const held = sk && (await ports.table.get<DecidedTransition>({ pk: keys.ofCheck(check.tenant_id, check.id), sk }));
  const counts = check.state !== 'down' && entity.dependents + entity.dependencies > 0;
  const destinations = counts ? recipientsFor(policy, 'down', check.alerts).map(destinationOf) : [];
  const basis: ChangeBasis = {
    ...read,
    ...(destinations.length > 0 && { pages: await readUrgentAlertCounts(env, check.tenant_id, destinations) }),
    ...(held && { held }),
  };
  return { entity, decide: (change, token) => decideChange(keys, basis, change, token) };
}

/** Decides the alert of a state change and returns every write of alerting. Pure. */
export function decideChange(keys: Keys, basis: ChangeBasis, change: StateChange, token: string): Consequences {
  const { entity, policy } = basis;
  const { check, to, cause, at, now } = change;
  // A fast clock can record times in the future; alerting still uses the present time.
  const alertAt = pastOrZero(at, now) || now;
  const own = ownIncident(entity, basis.notifiedFailure, change.transition);
  const notifiedFailure = notifiedFailureAfter(keys, basis, {
    ...{ to, state: change.entity_state, since: change.effective_at, now: alertAt, incident_id: own.id },
  });
  const { item, recheckAt, hold, alerts, ...decided } = decideStateChangeAlert(keys, {
    ...{ check, to, cause, policy, entity, notifiedFailure, at, alertAt },
    ...{ hold: basis.deadlines.hold, pages: basis.pages },
    incident_id: to === 'down' ? own.id : entity.incident?.id,
    transition: change.transition,
  });
  const incident = entity.incident ?? (opensIncident(basis, change, decided) ? own : undefined);
  const transition: Omit<DecidedTransition, keyof TransitionItem> = {
    ...decided,
    ...(incident && { incident }),
    ...(endsFailure(basis.notifiedFailure, notifiedFailure) && { ends_failure: true }),
  };
  const deadlines = deadlinesOf(basis, change, alertAt, { recheckAt, hold });
  const escalation = escalationChange(keys, check, token, { before: check.alerts, after: alerts, policy });
  const isNotified = item?.kind === 'state_change' && to === 'down';
  const impact = isNotified ? impactUpdateDeadline(keys, token, { check, entity, policy, now: alertAt }) : undefined;
  return {
    transition,
    entity: incident ? { incident } : {},
    alerts,
    writes: [
      ...(item ? [{ put: item, if: 'absent' as const }] : []),
      ...(item && to === 'down' ? pageWrites(keys, basis, item, token, alertAt) : []),
      ...(basis.held ? supersededWrites(basis.held, basis.deadlines.hold, token, at) : []),
      ...unlinkFromRoot(keys, check, basis.deadlines.hold),
      ...notifiedFailureWrites(
        basis.notifiedFailure,
        withNotifiedBy(item, notifiedFailure, { to, at: alertAt }),
        token,
        alertAt,
      ),
      basis.policyUnchanged,
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

/** Whether a change opens an incident. A failure with a possible upstream cause waits until that is known. */
const opensIncident = (
  { entity, policy }: ChangeBasis,
  { to, cause }: StateChange,
  { alert }: Pick<DecidedTransition, 'alert'>,
): boolean =>
  to === 'down' &&
  (cause === 'result' || cause === 'missed_heartbeat') &&
  policy.window === undefined &&
  (entity.dependencies === 0 || alert.decision === 'planned');

/** Returns the writes that count an urgent alert for each of its destinations, if alerts of the check are counted. */
function pageWrites(
  keys: Keys,
  { pages }: ChangeBasis,
  { tenant_id, urgency, to: targets }: AlertItem,
  token: string,
  now: number,
) {
  if (!pages || urgency === 'low') return [];
  return pageCountWrites(keys, tenant_id, { pages, destinations: targets.map(destinationOfTarget) }, token, now);
}

type NextDeadline = { kind: 'reminder' | 'late' | 'hold'; next: Deadline | undefined };

/** Returns the changed deadlines: reminders while the check is down, and rechecks of suppressed alerts. */
function deadlinesOf(
  { policy, deadlines }: ChangeBasis,
  { to }: StateChange,
  at: number,
  { recheckAt, hold }: { recheckAt: number | undefined; hold: Deadline | undefined },
): NextDeadline[] {
  const changed: NextDeadline[] = [];
  const repeat = policy.repeat_interval_seconds * 1000;
  if (to === 'down' && repeat > 0) changed.push({ kind: 'reminder', next: { deadline: at + repeat } });
  else if (deadlines.reminder) changed.push({ kind: 'reminder', next: undefined });
  if (recheckAt !== undefined && policy.late_alerts)
    changed.push({ kind: 'late', next: mergeDeadline(deadlines.late, { deadline: recheckAt }) });
  if (hold || deadlines.hold) changed.push({ kind: 'hold', next: hold });
  return changed;
}
