import type { TenantEnv } from '#lib/access/context.ts';
import type { CauseDecision } from '#lib/alerting/cause/cause-decision.ts';
import { type CauseProgressItem, storedProgress, withEvaluation } from '#lib/alerting/cause/cause-progress-item.ts';
import type { UpstreamEntities } from '#lib/alerting/cause/read-upstream.ts';
import type { CauseAnalysis } from '#lib/alerting/cause/root-causes.ts';
import {
  type AlertItem,
  alertItem,
  deliveriesOf,
  destinationOfTarget,
  groupAt,
} from '#lib/alerting/decide/alert-item.ts';
import { withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import { finalDecisionWrite, impactUpdateDeadline } from '#lib/alerting/decide/final-decision.ts';
import type { HeldAlert } from '#lib/alerting/decide/notes.ts';
import {
  type NotifiedFailureItem,
  notifiedFailureOf,
  notifiedFailureWrites,
  ownIncident,
  withNotifiedTargets,
} from '#lib/alerting/decide/notified-failure.ts';
import { afterNotifying, earlierFailures, isFlapping, withoutFlapping } from '#lib/alerting/decide/notified-state.ts';
import { pageCountWrites, type UrgentAlertCounts } from '#lib/alerting/decide/page-budget.ts';
import { pendingRecipients } from '#lib/alerting/decide/recipients.ts';
import { destinationOf, type Policy } from '#lib/alerting/policy/policy.ts';
import type { EntityItem, IncidentRef } from '#lib/catalog/entity.ts';
import type { AlertRoot } from '#lib/channels/alert.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { Outcome } from './commit-outcome.ts';
import type { HeldCase, Rechecked } from './holds.ts';

/** A held alert with the data for finding its cause. */
export type Search = {
  one: HeldCase;
  stored: CauseProgressItem | undefined;
  upstream: UpstreamEntities;
  /** Upstream entities whose own alert is held, with the time of its next recheck (epoch ms). */
  pending: ReadonlyMap<string, number>;
  pages: UrgentAlertCounts;
};

/** Returns the notified failures of upstream entities. For a root cause without a present one, a new one is added. */
export function presentFailures(
  keys: Keys,
  { tenant_id, entity_id }: Pick<CheckItem, 'tenant_id' | 'entity_id'>,
  { entities, notifiedFailures }: UpstreamEntities,
  { roots }: CauseAnalysis,
): Map<string, NotifiedFailureItem> {
  const present = new Map([...notifiedFailures].filter(([id]) => id !== entity_id));
  for (const { entity_id: root_entity_id, since } of roots) {
    const of = { tenant_id, root_entity_id, id: entities.get(root_entity_id)?.incident?.id };
    present.set(root_entity_id, notifiedFailureOf(keys, notifiedFailures.get(root_entity_id), of, since));
  }
  return present;
}

type NamedRoot = { failure: NotifiedFailureItem; named: AlertRoot };

type Concerned = {
  root: NamedRoot | undefined;
  /** Notified failure of the entity itself, if others depend on it. */
  own: NotifiedFailureItem | undefined;
  /** The incident that the entity joins; undefined while its cause is unknown. */
  incident: IncidentRef | undefined;
};

function concernedBy(env: TenantEnv, search: Search, analysis: CauseAnalysis, decision: CauseDecision): Concerned {
  const own = ownOf(env, search);
  const root = namedRoot(env, search, analysis, decision.root);
  return { root, own, incident: incidentOf(env, search, analysis, decision) };
}

function namedRoot(
  { keys }: TenantEnv,
  { one: { check }, upstream }: Search,
  analysis: CauseAnalysis,
  root: string | null,
): NamedRoot | undefined {
  const entity = root === null ? undefined : upstream.entities.get(root);
  const failure = entity && presentFailures(keys, check, upstream, analysis).get(entity.id);
  if (!entity || !failure) return undefined;
  const { id: entity_id, name: entity_name, state } = entity;
  return { failure, named: { entity_id, entity_name, state, since: iso(failure.since) } };
}

function ownOf({ keys }: TenantEnv, { one, upstream }: Search): NotifiedFailureItem | undefined {
  const { check, entity, transition } = one;
  if (entity.dependents === 0) return undefined;
  const before = upstream.notifiedFailures.get(entity.id);
  const { id } = ownIncident(entity, before, transition);
  const since = check.effective_at ?? Date.parse(check.state_since);
  return notifiedFailureOf(keys, before, { tenant_id: check.tenant_id, root_entity_id: entity.id, id }, since);
}

/** Returns the incident of the root cause or, if recipients are notified without a cause, of the entity itself. */
function incidentOf(
  { keys }: TenantEnv,
  { one, upstream }: Search,
  analysis: CauseAnalysis,
  decision: CauseDecision,
): IncidentRef | undefined {
  const { check, entity, transition } = one;
  if (entity.incident) return entity.incident;
  // A root cause whose own alert is still held can turn out to have a cause itself.
  const cause = decision.root ?? (decision.progress.explained > 0 ? decision.progress.under : null);
  const failure = cause === null ? undefined : presentFailures(keys, check, upstream, analysis).get(cause);
  if (failure) return upstream.entities.get(cause!)?.incident ?? { id: failure.id, root_entity_id: cause! };
  return decision.notify.length > 0
    ? ownIncident(entity, upstream.notifiedFailures.get(entity.id), transition)
    : undefined;
}

/** Returns the result of a recheck: the writes of its decision, and the next deadline if a destination still waits. */
export function causeWrites(
  env: TenantEnv,
  search: Search,
  analysis: CauseAnalysis,
  decision: CauseDecision,
): Rechecked {
  const { ports, keys, tenant } = env;
  const { one, upstream } = search;
  const { check, policy, held, transition } = one;
  const now = ports.clock.now();
  const token = ports.ids.token();
  const concerned = concernedBy(env, search, analysis, decision);
  const { root, own, incident } = concerned;
  const released =
    decision.progress.under === null || root ? undefined : upstream.entities.get(decision.progress.under);
  const items = alertsOf(env, one, decision, { ...concerned, released }, now);
  const destinations = items.flatMap(({ to }) => to.map(destinationOfTarget));
  const notified = [...(held.notified ?? []), ...destinations];
  // A failure that is reported without a cause can be the root cause of others.
  const impact =
    items.length > 0 && !root
      ? impactUpdateDeadline(keys, token, { check, entity: one.entity, policy, now })
      : undefined;
  const notifiedWrites = (before: NotifiedFailureItem | undefined, of: NotifiedFailureItem | undefined): Write[] =>
    of && destinations.length > 0
      ? notifiedFailureWrites(before, withNotifiedTargets(of, destinations, now), token, now)
      : [];
  const under = decision.progress.under ?? undefined;
  const isMoved = under !== held.root;
  const unlinked = held.root === undefined ? [] : [{ delete: keys.heldCheck(tenant, held.root, check.id) }];
  const outcome: Outcome = {
    token,
    items,
    alerts: items.length > 0 ? alertsAfter(check, policy, items, now) : undefined,
    incident,
    extraWrites: [
      ...(items.length > 0
        ? finalDecisionWrites(one, items, concerned, token, now)
        : isMoved
          ? attributionWrites(env, search, analysis, decision, incident)
          : []),
      ...notifiedWrites(root && upstream.notifiedFailures.get(root.failure.root_entity_id), root?.failure),
      ...notifiedWrites(own && upstream.notifiedFailures.get(check.entity_id), own),
      ...pageCountWrites(keys, tenant, { pages: search.pages, destinations: destinationsPaged(decision) }, token, now),
      ...(impact?.writes ?? []),
      ...(isMoved || decision.recheck_at === undefined ? unlinked : []),
      ...(isMoved && under !== undefined && decision.recheck_at !== undefined
        ? [{ put: pointerItem(env, check, under, transition.expires_at) }]
        : []),
      progressWrite(env, search, analysis, decision),
    ],
    begun: impact?.deadlines ?? [],
  };
  if (decision.recheck_at === undefined) return { is: 'held', outcome };
  const { root: _root, notified: _notified, window: _window, ...rest } = held;
  const next: HeldAlert = {
    ...rest,
    ...(under !== undefined && { root: under }),
    ...(notified.length > 0 && { notified }),
    ...(decision.window && { window: decision.window }),
  };
  return { is: 'held', next: { deadline: decision.recheck_at, note: { held: next } }, outcome };
}

export function progressWrite(
  { ports, keys, tenant }: TenantEnv,
  { one: { check, held, transition }, stored }: Search,
  analysis: CauseAnalysis,
  decision: CauseDecision,
): Write {
  const put: CauseProgressItem = {
    ...keys.hold(tenant, check.id, held.transition_sk),
    ...{ ...decision.progress, v: ports.ids.token() },
    evaluations: withEvaluation(storedProgress(stored).evaluations, analysis, ports.clock.now()),
    ...(transition.expires_at !== undefined && { expires_at: transition.expires_at }),
  };
  return { put, if: stored ? { version: stored.v } : 'absent' };
}

const destinationsPaged = ({ notify }: CauseDecision): string[] =>
  notify.flatMap(({ destination, urgency }) => (urgency === 'high' ? [destination] : []));

/** Returns the pointer from a root cause to a held alert. The recovery of the root cause rechecks the alert. */
const pointerItem = (
  { keys, tenant }: TenantEnv,
  { id: check_id, entity_id }: CheckItem,
  root: string,
  expires_at: number | undefined,
) => ({
  ...keys.heldCheck(tenant, root, check_id),
  ...{ entity_id, check_id },
  ...(expires_at !== undefined && { expires_at }),
});

/** `released`: the recovered root cause under which the alert was held. */
type AlertContext = Concerned & { released: EntityItem | undefined };

function alertsOf(
  { keys }: TenantEnv,
  one: HeldCase,
  { notify }: CauseDecision,
  { root, own, incident, released }: AlertContext,
  now: number,
): AlertItem[] {
  const { check, policy, held, transition } = one;
  const waiting = pendingRecipients(held, policy, check.alerts);
  return (['high', 'low'] as const).flatMap((urgency, n) => {
    const destinations = new Set(notify.filter((to) => to.urgency === urgency).map((to) => to.destination));
    const channels = waiting.filter((channel) => destinations.has(destinationOf(channel)));
    if (channels.length === 0) return [];
    const { tenant_id, id: check_id, entity_id } = check;
    return [
      alertItem(keys, {
        ...{ tenant_id, check_id, entity_id, transition, urgency, n, at: now, channels },
        ...{ kind: held.kind ?? 'state_change', reports_state: 'down', expires_at: transition.expires_at },
        ...(incident && { incident_id: incident.id }),
        ...((root || own) && { shares_incident: true }),
        ...(root && { root: root.named }),
        ...earlierFailures(check.alerts, 'down'),
        ...(released && { group: groupAt(tenant_id, released, now) }),
      }),
    ];
  });
}

/** Returns the write of the decision with its first recipients; later ones are in the delivery log. */
function finalDecisionWrites(
  { transition }: HeldCase,
  items: AlertItem[],
  { root, incident }: Concerned,
  token: string,
  now: number,
): Write[] {
  if (transition.alert.decision !== 'held') return [];
  const { urgency } = items[0]!;
  const alert = { ...transition.alert, urgency, attributed_to: root ? attributionTo(root, incident) : null };
  const deliveries = items.flatMap(deliveriesOf);
  const decided_on = { ...transition.decided_on, held: { reason: 'dependency' as const, until: now } };
  const final = { decision: 'planned' as const, reason: null, facts: {}, deliveries };
  return [finalDecisionWrite({ ...transition, alert }, token, now, final, { decided_on })];
}

/** Returns the write that records a new or changed root cause under which the alert is held. */
function attributionWrites(
  env: TenantEnv,
  search: Search,
  analysis: CauseAnalysis,
  { progress, window, recheck_at }: CauseDecision,
  incident: IncidentRef | undefined,
): Write[] {
  const { transition } = search.one;
  const root = namedRoot(env, search, analysis, progress.under);
  if (transition.alert.decision !== 'held' || !root || recheck_at === undefined) return [];
  const attributed_to = {
    ...attributionTo(root, incident),
    window_id: window?.id ?? null,
    next_evaluation_at: iso(recheck_at),
  };
  const put = { ...transition, v: env.ports.ids.token(), alert: { ...transition.alert, attributed_to } };
  return [{ put, if: { version: transition.v } }];
}

const attributionTo = ({ named }: NamedRoot, incident: IncidentRef | undefined) => ({
  incident_id: incident?.id ?? null,
  root_entity_id: named.entity_id,
  root_entity_name: named.entity_name,
  root_state: named.state,
  root_since: named.since,
  ...{ window_id: null, next_evaluation_at: null },
});

/** Adds the alerts to the notified states; escalation steps count from the first. */
function alertsAfter(check: CheckItem, policy: Policy, items: AlertItem[], now: number): CheckItem['alerts'] {
  const alerts = isFlapping(check.alerts, now) ? check.alerts : withoutFlapping(check.alerts);
  const planned = items.map(({ id }) => ({ id, reports_state: 'down' as const }));
  return withEscalationStarted(afterNotifying(alerts, planned, 'page', now), policy, 'down', now);
}
