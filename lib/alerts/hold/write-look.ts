import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import { type AlertItem, type AlertRoot, alertItem, deliveriesOf } from '#lib/health/alerting/alert-item.ts';
import type { AlertDecision, AlertReason, AlertUrgency } from '#lib/health/alerting/decision.ts';
import { destinationOf } from '#lib/health/alerting/listeners.ts';
import { startCooldown } from '#lib/health/alerting/rules/cooldown.ts';
import type { Ancestry } from '#lib/health/dependency/gather.ts';
import { type HoldItem, MOST_LOOKS } from '#lib/health/dependency/hold-item.ts';
import { type IncidentItem, incidentOf, incidentWrites, withTold } from '#lib/health/dependency/incident-item.ts';
import type { Verdict } from '#lib/health/dependency/judge.ts';
import type { Look } from '#lib/health/dependency/look.ts';
import { announce } from '#lib/health/state/announced.ts';
import { isFlapping, toldFlapping, withoutFlapping } from '#lib/health/state/flapping.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { deadlineWrites } from '#lib/schedule/deadlines.ts';
import { leaveRoot, skipWrites } from './end-hold.ts';
import { incidentsAt } from './incidents-at.ts';
import type { HeldAlert } from './look-at-held.ts';

/** Ends a hold for a reason that came up meanwhile and wins: nobody is told of the failure now. */
export async function dropHold({ ports, keys }: TenantEnv, held: HeldAlert, reason: AlertReason) {
  const { check, hold, transition, entry } = held;
  const token = ports.ids.token();
  const alerts = withoutHeld(check.alerts);
  const reasoned = { ...transition, alert: { ...transition.alert, reason } };
  const done = await commit(ports, [
    { delete: { pk: hold.pk, sk: hold.sk }, if: { version: hold.v } },
    ...leaveRoot(keys, hold),
    ...skipWrites(reasoned, token, ports.clock.now()),
    replaceCheck(check, nextCheck(check, token, { alerts })),
    ...deadlineWrites(keys, 'hold', check, token, entry, undefined),
  ]);
  return done.ok ? undefined : AGAIN;
}

function withoutHeld({ held: _held, ...alerts }: CheckItem['alerts']): CheckItem['alerts'] {
  return alerts;
}

/**
 * Writes what a look came to, in one transaction: alerts for those who are told now, whom each incident was told to,
 * the end of the decision on the transition with the first of them, and when to look again.
 * @returns when (epoch ms); undefined when nobody waits any more
 */
export async function writeLook(env: TenantEnv, held: HeldAlert, ancestry: Ancestry, verdict: Verdict, seen: Look) {
  const { ports, keys } = env;
  const { check, stored, channels, hold, transition, entry } = held;
  const now = ports.clock.now();
  const token = ports.ids.token();
  const root = rootIn(env, held, ancestry, verdict, seen, now);
  const own = ownIncident(env, held, ancestry, now);
  const items = alertsOf(env, held, seen, { root, own, now });
  const toldNow = items.flatMap(({ to }) => to.map(({ channel_id }) => channel_id));
  const destinations = channels.filter(({ id }) => toldNow.includes(id)).map(destinationOf);
  const told = [...hold.told, ...toldNow];
  const next: HoldItem = { ...hold, ...seen.hold, v: token, told, looks: looksWith(hold, verdict, now) };
  const waits = seen.look_at !== undefined;
  const incident = (before: IncidentItem | undefined, of: IncidentItem | undefined): Write[] =>
    of && destinations.length > 0 ? incidentWrites(before, withTold(of, destinations, now), token, now) : [];
  const done = await commit(ports, [
    ...items.map((item): Write => ({ put: item, if: 'absent' })),
    ...decisionWrites(transition, items, root, token, now),
    ...incident(root && ancestry.incidents.get(root.incident.root_entity_id), root?.incident),
    ...incident(own && ancestry.incidents.get(check.entity_id), own),
    ...(toldNow.length > 0 || !waits
      ? [
          replaceCheck(check, nextCheck(check, token, { alerts: alertsAfter(check, items, { told, waits, now }) })),
          { check: keys.policy(check.tenant_id, check.id), if: stored ? { version: stored.v } : ('absent' as const) },
        ]
      : []),
    waits ? { put: next, if: { version: hold.v } } : { delete: { pk: hold.pk, sk: hold.sk }, if: { version: hold.v } },
    ...pointerWrites(keys, hold, waits ? next : undefined),
    ...deadlineWrites(keys, 'hold', check, token, entry, waits ? { deadline: seen.look_at! } : undefined),
  ]);
  return done.ok ? seen.look_at : AGAIN;
}

type NamedRoot = { incident: IncidentItem; named: AlertRoot };

/** The cause that an alert names, with its incident. */
function rootIn(
  { keys }: TenantEnv,
  held: HeldAlert,
  ancestry: Ancestry,
  verdict: Verdict,
  { root }: Look,
  now: number,
): NamedRoot | undefined {
  const entity = root === null ? undefined : ancestry.entities.get(root);
  const incident = entity && incidentsAt(keys, held, ancestry, verdict, now).get(entity.id);
  if (!entity || !incident) return undefined;
  const { id: entity_id, name: entity_name, state } = entity;
  return { incident, named: { entity_id, entity_name, state, since: iso(incident.since) } };
}

/** The failure of the entity itself, where others depend on it in their turn. */
function ownIncident({ keys }: TenantEnv, { check, entity }: HeldAlert, { incidents }: Ancestry, now: number) {
  if (entity.dependents === 0) return undefined;
  const of = { tenant_id: check.tenant_id, root_entity_id: entity.id };
  return incidentOf(keys, incidents.get(entity.id), of, check.effective_at ?? Date.parse(check.state_since), now);
}

type Telling = { root: NamedRoot | undefined; own: IncidentItem | undefined; now: number };

/** One alert for all who are told as urgently. */
function alertsOf({ keys }: TenantEnv, held: HeldAlert, { tell }: Look, { root, own, now }: Telling): AlertItem[] {
  const { check, channels, hold, transition } = held;
  const incident_id = root?.incident.id ?? own?.id;
  return (['high', 'low'] as const).flatMap((urgency: AlertUrgency, n) => {
    const destinations = new Set(tell.filter((one) => one.urgency === urgency).map((one) => one.destination));
    const to = channels.filter((one) => destinations.has(destinationOf(one)) && !hold.told.includes(one.id));
    if (to.length === 0) return [];
    const { tenant_id, id: check_id, entity_id } = check;
    return [
      alertItem(keys, {
        ...{ tenant_id, check_id, entity_id, transition, urgency, n, at: now, channels: to },
        ...{ kind: hold.kind, announces: 'down', expires_at: transition.expires_at },
        ...(incident_id !== undefined && { incident_id }),
        ...(root && { root: root.named }),
      }),
    ];
  });
}

/** With the first who are told the decision is made; whom others are told later the delivery log says. */
function decisionWrites(
  transition: TransitionItem,
  items: AlertItem[],
  root: NamedRoot | undefined,
  token: string,
  now: number,
): Write[] {
  if (items.length === 0 || transition.alert.decision !== 'held' || transition.v === undefined) return [];
  const alert: AlertDecision = {
    ...transition.alert,
    decision: 'planned',
    reason: null,
    deliveries: items.flatMap(deliveriesOf),
    urgency: items[0]!.urgency,
    because: root
      ? {
          incident_id: root.incident.id,
          root_entity_id: root.named.entity_id,
          root_entity_name: root.named.entity_name,
          root_state: root.named.state,
          root_since: root.named.since,
          window_id: null,
          look_again_at: null,
        }
      : null,
    decided_at: iso(now),
  };
  const put: TransitionItem = { ...transition, v: token, alert };
  return [{ put, if: { version: transition.v } }];
}

type After = { told: string[]; waits: boolean; now: number };

/** What the check remembers of its alerts: who was told, and whether others still wait. */
function alertsAfter(check: CheckItem, items: AlertItem[], { told, waits, now }: After): CheckItem['alerts'] {
  const alerts = isFlapping(check.alerts, now) ? check.alerts : withoutFlapping(check.alerts);
  const { held, ...rest } = alerts;
  const announced = items.reduce(
    (before, { id }) => announce({ ...rest, ...(before && { announced: before }) }, { id, announces: 'down' }),
    rest.announced,
  );
  return {
    ...rest,
    ...(items.length > 0 && { ...startCooldown('page', now), ...toldFlapping(rest) }),
    ...(announced && { announced }),
    ...(waits && held && { held: { ...held, ...(told.length > 0 && { told }) } }),
  };
}

const looksWith = ({ looks }: HoldItem, { roots, truncated }: Verdict, at: number): HoldItem['looks'] =>
  [...looks, { at, roots: roots.map(({ entity_id }) => entity_id), truncated }].slice(-MOST_LOOKS);

/** Whoever is held stands under its root, so that the end of that wakes it. */
function pointerWrites(keys: TenantEnv['keys'], before: HoldItem, next: HoldItem | undefined): Write[] {
  const root = next?.under ?? null;
  if (root === before.under) return next === undefined ? leaveRoot(keys, before) : [];
  const { tenant_id, check_id, entity_id, expires_at } = before;
  const pointer = { entity_id, check_id, ...(expires_at !== undefined && { expires_at }) };
  return [
    ...leaveRoot(keys, before),
    ...(root === null ? [] : [{ put: { ...keys.heldCheck(tenant_id, root, check_id), ...pointer } }]),
  ];
}
