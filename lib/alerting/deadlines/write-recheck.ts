import type { TenantEnv } from '#lib/access/context.ts';
import type { CauseDecision } from '#lib/alerting/cause/cause-decision.ts';
import { type CauseProgressItem, storedProgress, withEvaluation } from '#lib/alerting/cause/cause-progress-item.ts';
import type { UpstreamEntities } from '#lib/alerting/cause/find-cause.ts';
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
import { afterNotifying, isFlapping, withoutFlapping } from '#lib/alerting/decide/notified-state.ts';
import { type PageCounts, pageCountWrites } from '#lib/alerting/decide/page-budget.ts';
import { pendingRecipients } from '#lib/alerting/decide/recipients.ts';
import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { destinationOf, type Policy } from '#lib/alerting/policy/policy.ts';
import type { EntityItem, IncidentRef } from '#lib/catalog/entity.ts';
import type { AlertRoot } from '#lib/channels/alert.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import type { Outcome } from './commit-outcome.ts';
import type { HeldCase, Rechecked } from './holds.ts';

/** A held alert whose cause is looked for, with all that was read. */
export type Search = {
  one: HeldCase;
  stored: CauseProgressItem | undefined;
  ancestry: UpstreamEntities;
  /** Entities whose own alert is held, and when that is looked at next (epoch ms). */
  pending: ReadonlyMap<string, number>;
  /** When those who wait were paged. */
  pages: PageCounts;
};

/** Of each failure as it stands: one that began anew is not the one that was told of before. */
export function incidentsAt(
  keys: Keys,
  { tenant_id, entity_id }: Pick<CheckItem, 'tenant_id' | 'entity_id'>,
  { entities, incidents }: UpstreamEntities,
  { roots }: CauseAnalysis,
): Map<string, NotifiedFailureItem> {
  const present = new Map([...incidents].filter(([id]) => id !== entity_id));
  for (const { entity_id: root_entity_id, since } of roots) {
    const of = { tenant_id, root_entity_id, id: entities.get(root_entity_id)?.incident?.id };
    present.set(root_entity_id, notifiedFailureOf(keys, incidents.get(root_entity_id), of, since));
  }
  return present;
}

/** The cause that an alert names, with who was told of it. */
type NamedRoot = { incident: NotifiedFailureItem; named: AlertRoot };

/** What a look at a held alert has to do with incidents. */
type DecisionIncidents = {
  root: NamedRoot | undefined;
  /** The failure of the entity itself, where others depend on it in their turn. */
  own: NotifiedFailureItem | undefined;
  /** The one that the entity is part of from now on; undefined while its cause is not known. */
  partOf: IncidentRef | undefined;
};

/** Pure but for the keys. */
function incidentsForDecision(
  env: TenantEnv,
  search: Search,
  verdict: CauseAnalysis,
  seen: CauseDecision,
): DecisionIncidents {
  const own = ownOf(env, search);
  return { root: rootIn(env, search, verdict, seen), own, partOf: partOf(env, search, verdict, seen) };
}

function rootIn(
  { keys }: TenantEnv,
  { one: { check }, ancestry }: Search,
  verdict: CauseAnalysis,
  { root }: CauseDecision,
): NamedRoot | undefined {
  const entity = root === null ? undefined : ancestry.entities.get(root);
  const incident = entity && incidentsAt(keys, check, ancestry, verdict).get(entity.id);
  if (!entity || !incident) return undefined;
  const { id: entity_id, name: entity_name, state } = entity;
  return { incident, named: { entity_id, entity_name, state, since: iso(incident.since) } };
}

function ownOf({ keys }: TenantEnv, { one, ancestry }: Search): NotifiedFailureItem | undefined {
  const { check, entity, transition } = one;
  if (entity.dependents === 0) return undefined;
  const before = ancestry.incidents.get(entity.id);
  const { id } = ownIncident(entity, before, transition);
  const since = check.effective_at ?? Date.parse(check.state_since);
  return notifiedFailureOf(keys, before, { tenant_id: check.tenant_id, root_entity_id: entity.id, id }, since);
}

/** That of the cause under which it is told or withheld; its own, where it is told and nothing explains it. */
function partOf(
  { keys }: TenantEnv,
  { one, ancestry }: Search,
  verdict: CauseAnalysis,
  seen: CauseDecision,
): IncidentRef | undefined {
  const { check, entity, transition } = one;
  if (entity.incident) return entity.incident;
  // While the alert of the root itself is held, that may yet turn out to follow from another.
  const cause = seen.root ?? (seen.hold.explained > 0 ? seen.hold.under : null);
  const incident = cause === null ? undefined : incidentsAt(keys, check, ancestry, verdict).get(cause);
  if (incident) return ancestry.entities.get(cause!)?.incident ?? { id: incident.id, root_entity_id: cause! };
  return seen.tell.length > 0 ? ownIncident(entity, ancestry.incidents.get(entity.id), transition) : undefined;
}

/**
 * What comes of a look: alerts for those who are told now, whom each incident was told to, with the first of them the
 * decision on the transition, and what is remembered of who waits on.
 */
export function causeWrites(env: TenantEnv, search: Search, verdict: CauseAnalysis, seen: CauseDecision): Rechecked {
  const { ports, keys, tenant } = env;
  const { one, ancestry } = search;
  const { check, policy, held, transition } = one;
  const now = ports.clock.now();
  const token = ports.ids.token();
  const incidents = incidentsForDecision(env, search, verdict, seen);
  const { root, own, partOf } = incidents;
  const released = seen.hold.under === null || root ? undefined : ancestry.entities.get(seen.hold.under);
  const items = alertsOf(env, one, seen, { ...incidents, released }, now);
  const destinations = items.flatMap(({ to }) => to.map(destinationOfTarget));
  const told = [...(held.told ?? []), ...destinations];
  // Told by itself, it is what others fail with.
  const impact =
    items.length > 0 && !root
      ? impactUpdateDeadline(keys, token, { check, entity: one.entity, policy, now })
      : undefined;
  const tellOf = (before: NotifiedFailureItem | undefined, of: NotifiedFailureItem | undefined): Write[] =>
    of && destinations.length > 0
      ? notifiedFailureWrites(before, withNotifiedTargets(of, destinations, now), token, now)
      : [];
  const under = seen.hold.under ?? undefined;
  const isMoved = under !== held.root;
  const left = held.root === undefined ? [] : [{ delete: keys.heldCheck(tenant, held.root, check.id) }];
  const outcome: Outcome = {
    token,
    items,
    alerts: items.length > 0 ? alertsAfter(check, policy, items, now) : undefined,
    partOf,
    beside: [
      ...decided(one, items, incidents, token, now),
      ...tellOf(root && ancestry.incidents.get(root.incident.root_entity_id), root?.incident),
      ...tellOf(own && ancestry.incidents.get(check.entity_id), own),
      ...pageCountWrites(keys, tenant, { pages: search.pages, destinations: destinationsPaged(seen) }, token, now),
      ...(impact?.writes ?? []),
      ...(isMoved || seen.look_at === undefined ? left : []),
      ...(isMoved && under !== undefined && seen.look_at !== undefined
        ? [{ put: pointerItem(env, check, under, transition.expires_at) }]
        : []),
      progressWrite(env, search, verdict, seen),
    ],
    begun: impact?.deadlines ?? [],
  };
  if (seen.look_at === undefined) return { is: 'held', outcome };
  const { root: _root, told: _told, window: _window, ...rest } = held;
  const next: HeldAlert = {
    ...rest,
    ...(under !== undefined && { root: under }),
    ...(told.length > 0 && { told }),
    ...(seen.window && { window: seen.window }),
  };
  return { is: 'held', next: { deadline: seen.look_at, note: { held: next } }, outcome };
}

/** What is remembered of a held alert after one more look. */
export function progressWrite(
  { ports, keys, tenant }: TenantEnv,
  { one: { check, held, transition }, stored }: Search,
  verdict: CauseAnalysis,
  seen: CauseDecision,
): Write {
  const put: CauseProgressItem = {
    ...keys.hold(tenant, check.id, held.transition_sk),
    ...{ ...seen.hold, v: ports.ids.token() },
    evaluations: withEvaluation(storedProgress(stored).evaluations, verdict, ports.clock.now()),
    ...(transition.expires_at !== undefined && { expires_at: transition.expires_at }),
  };
  return { put, if: stored ? { version: stored.v } : 'absent' };
}

const destinationsPaged = ({ tell }: CauseDecision): string[] =>
  tell.flatMap(({ destination, urgency }) => (urgency === 'high' ? [destination] : []));

/** Whoever is held stands under its root, so that the end of that wakes it. */
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

/** `released`: what has recovered, under which it was held. */
type Telling = DecisionIncidents & { released: EntityItem | undefined };

/** One alert for all who are told as urgently. */
function alertsOf(
  { keys }: TenantEnv,
  one: HeldCase,
  { tell }: CauseDecision,
  { root, own, partOf, released }: Telling,
  now: number,
): AlertItem[] {
  const { check, policy, held, transition } = one;
  const waiting = pendingRecipients(held, recipientsFor(policy, 'down', check.alerts), check.alerts);
  return (['high', 'low'] as const).flatMap((urgency, n) => {
    const destinations = new Set(tell.filter((to) => to.urgency === urgency).map((to) => to.destination));
    const channels = waiting.filter((channel) => destinations.has(destinationOf(channel)));
    if (channels.length === 0) return [];
    const { tenant_id, id: check_id, entity_id } = check;
    return [
      alertItem(keys, {
        ...{ tenant_id, check_id, entity_id, transition, urgency, n, at: now, channels },
        ...{ kind: held.kind ?? 'state_change', reports_state: 'down', expires_at: transition.expires_at },
        ...(partOf && { incident_id: partOf.id }),
        ...((root || own) && { with_others: true }),
        ...(root && { root: root.named }),
        ...(released && { group: groupAt(tenant_id, released, now) }),
      }),
    ];
  });
}

/** Makes the decision when the first recipients are notified; the delivery log has those who are notified later. */
function decided(
  { transition }: HeldCase,
  items: AlertItem[],
  { root, partOf }: DecisionIncidents,
  token: string,
  now: number,
): Write[] {
  if (transition.alert.decision !== 'held' || items.length === 0) return [];
  const because = root && {
    incident_id: partOf?.id ?? null,
    root_entity_id: root.named.entity_id,
    root_entity_name: root.named.entity_name,
    root_state: root.named.state,
    root_since: root.named.since,
    ...{ window_id: null, next_evaluation_at: null },
  };
  const { urgency } = items[0]!;
  const alert = { ...transition.alert, urgency, attributed_to: because ?? null };
  const deliveries = items.flatMap(deliveriesOf);
  const decided_on = { ...transition.decided_on, held: { reason: 'dependency' as const, until: now } };
  const final = { decision: 'planned' as const, reason: null, facts: {}, deliveries };
  return [finalDecisionWrite({ ...transition, alert }, token, now, final, { decided_on })];
}

/** What the check remembers of its alerts once some were told: the steps of its escalation count from the first. */
function alertsAfter(check: CheckItem, policy: Policy, items: AlertItem[], now: number): CheckItem['alerts'] {
  const alerts = isFlapping(check.alerts, now) ? check.alerts : withoutFlapping(check.alerts);
  const planned = items.map(({ id }) => ({ id, reports_state: 'down' as const }));
  return withEscalationStarted(afterNotifying(alerts, planned, 'page', now), policy, 'down', now);
}
