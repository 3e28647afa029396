import type { TenantEnv } from '#lib/access/context.ts';
import { type HoldItem, rememberedHold, withLook } from '#lib/alerting/cause/hold-item.ts';
import type { Verdict } from '#lib/alerting/cause/verdict.ts';
import type { Look } from '#lib/alerting/cause/wait.ts';
import { type AlertItem, alertItem, deliveriesOf, groupAt } from '#lib/alerting/decide/alert-item.ts';
import { begun, escalationChange } from '#lib/alerting/decide/escalation.ts';
import { isFlapping, withoutFlapping } from '#lib/alerting/decide/memory.ts';
import { type IncidentItem, incidentWrites, joinWrites, withTold } from '#lib/alerting/decide/notified-failure.ts';
import { pageWrites } from '#lib/alerting/decide/page-budget.ts';
import { destinationOf, destinationTold, waitingOf } from '#lib/alerting/decide/recipients.ts';
import { settled, superseded } from '#lib/alerting/decide/settle-held.ts';
import { channelsThatApply } from '#lib/alerting/policy/effective-policy.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import { incidentsOfLook, type LookIncidents } from '#lib/alerts/hold/incident-of-look.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import { impactDue } from '#lib/health/alerting/impact-due.ts';
import { afterTelling } from '#lib/health/alerting/remembered.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { HeldAlert } from '#lib/schedule/entries.ts';
import type { Found, Search } from './dependency-hold.ts';
import type { HeldCase } from './hold.ts';

/**
 * The writes of a look, for one transaction: alerts for those who are told now, whom each incident was told to, with
 * the first of them the decision on the transition, and what is remembered of who waits on.
 */
export function writesOfLook(env: TenantEnv, search: Search, verdict: Verdict, seen: Look): Found {
  const { ports, keys, tenant } = env;
  const { one, ancestry } = search;
  const { check, policy, held, transition } = one;
  const now = ports.clock.now();
  const token = ports.ids.token();
  const incidents = incidentsOfLook(env, search, verdict, seen);
  const { root, own, partOf } = incidents;
  const released = seen.hold.under === null || root ? undefined : ancestry.entities.get(seen.hold.under);
  const items = alertsOf(env, one, seen, { ...incidents, released }, now);
  const destinations = items.flatMap(({ to }) => to.map(destinationTold));
  const told = [...(held.told ?? []), ...destinations];
  const after = items.length > 0 ? alertsAfter(check, policy, items, now) : check.alerts;
  const escalation = escalationChange(keys, check, token, { before: check.alerts, after, policy });
  // Told by itself, it is what others fail with.
  const impact =
    items.length > 0 && !root ? impactDue(keys, token, { check, entity: one.entity, policy, now }) : undefined;
  const tellOf = (before: IncidentItem | undefined, of: IncidentItem | undefined): Write[] =>
    of && destinations.length > 0 ? incidentWrites(before, withTold(of, destinations, now), token, now) : [];
  const writes: Write[] = [
    ...items.map((item): Write => ({ put: item, if: 'absent' })),
    ...decided(one, seen, items, incidents, token, now),
    ...tellOf(root && ancestry.incidents.get(root.incident.root_entity_id), root?.incident),
    ...tellOf(own && ancestry.incidents.get(check.entity_id), own),
    ...joinWrites(one.entity, partOf, token),
    ...pageWrites(keys, tenant, { pages: search.pages, destinations: destinationsPaged(seen) }, token, now),
    ...(items.length > 0 ? [replaceCheck(check, nextCheck(check, token, { alerts: after }))] : []),
    ...escalation.writes,
    ...(impact?.writes ?? []),
  ];
  const deadlines = [...escalation.deadlines, ...(impact?.deadlines ?? [])];
  const before = held.root === undefined ? [] : [{ delete: keys.heldCheck(tenant, held.root, check.id) }];
  const hold = holdWrite(env, search, verdict, seen);
  if (seen.look_at === undefined) return { writes: [...writes, ...before, hold], deadlines };
  const under = seen.hold.under ?? undefined;
  const isMoved = under !== held.root;
  const pointer =
    under !== undefined && isMoved ? [{ put: pointerItem(env, check, under, transition.expires_at) }] : [];
  const { root: _root, told: _told, window: _window, ...rest } = held;
  const next: HeldAlert = {
    ...rest,
    ...(under !== undefined && { root: under }),
    ...(told.length > 0 && { told }),
    ...(seen.window && { window: seen.window }),
  };
  return {
    writes: [...writes, ...(isMoved ? before : []), ...pointer, hold],
    next: { deadline: seen.look_at, note: { held: next } },
    deadlines,
  };
}

/** What is remembered of a held alert after one more look. */
export function holdWrite(
  { ports, keys, tenant }: TenantEnv,
  { one: { check, held, transition }, stored }: Search,
  verdict: Verdict,
  seen: Look,
): Write {
  const put: HoldItem = {
    ...keys.hold(tenant, check.id, held.transition_sk),
    ...{ ...seen.hold, v: ports.ids.token() },
    looks: withLook(rememberedHold(stored).looks, verdict, ports.clock.now()),
    ...(transition.expires_at !== undefined && { expires_at: transition.expires_at }),
  };
  return { put, if: stored ? { version: stored.v } : 'absent' };
}

const destinationsPaged = ({ tell }: Look): string[] =>
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
type Telling = LookIncidents & { released: EntityItem | undefined };

/** One alert for all who are told as urgently. */
function alertsOf(
  { keys }: TenantEnv,
  one: HeldCase,
  { tell }: Look,
  { root, own, partOf, released }: Telling,
  now: number,
): AlertItem[] {
  const { check, policy, held, transition } = one;
  const waiting = waitingOf(held, channelsThatApply(policy, 'down', check.alerts), check.alerts);
  return (['high', 'low'] as const).flatMap((urgency, n) => {
    const destinations = new Set(tell.filter((to) => to.urgency === urgency).map((to) => to.destination));
    const channels = waiting.filter((channel) => destinations.has(destinationOf(channel)));
    if (channels.length === 0) return [];
    const { tenant_id, id: check_id, entity_id } = check;
    return [
      alertItem(keys, {
        ...{ tenant_id, check_id, entity_id, transition, urgency, n, at: now, channels },
        ...{ kind: held.kind ?? 'state_change', announces: 'down', expires_at: transition.expires_at },
        ...(partOf && { incident_id: partOf.id }),
        ...((root || own) && { with_others: true }),
        ...(root && { root: root.named }),
        ...(released && { group: groupAt(tenant_id, released, now) }),
      }),
    ];
  });
}

/**
 * With the first who are told the decision is made; whom others are told later the delivery log says. Where everybody
 * has heard of the failure by another alert meanwhile, what held it is why this one told nobody.
 */
function decided(
  { transition }: HeldCase,
  { look_at }: Look,
  items: AlertItem[],
  { root, partOf }: LookIncidents,
  token: string,
  now: number,
): Write[] {
  if (transition.alert.decision !== 'held') return [];
  if (items.length === 0) return look_at === undefined ? superseded(transition, undefined, token, now) : [];
  const because = root && {
    incident_id: partOf?.id ?? null,
    root_entity_id: root.named.entity_id,
    root_entity_name: root.named.entity_name,
    root_state: root.named.state,
    root_since: root.named.since,
    ...{ window_id: null, look_again_at: null },
  };
  const { urgency } = items[0]!;
  const alert = { ...transition.alert, urgency, because: because ?? null };
  const deliveries = items.flatMap(deliveriesOf);
  const decided_on = { ...transition.decided_on, held: { reason: 'dependency' as const, until: now } };
  const final = { decision: 'planned' as const, reason: null, facts: {}, deliveries };
  return [settled({ ...transition, alert }, token, now, final, { decided_on })];
}

/** What the check remembers of its alerts once some were told: the steps of its escalation count from the first. */
function alertsAfter(check: CheckItem, policy: Policy, items: AlertItem[], now: number): CheckItem['alerts'] {
  const alerts = isFlapping(check.alerts, now) ? check.alerts : withoutFlapping(check.alerts);
  const planned = items.map(({ id }) => ({ id, announces: 'down' as const }));
  return begun(afterTelling(alerts, planned, 'page', now), policy, 'down', now);
}
