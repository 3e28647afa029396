import { type AlertItem, alertItem, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import { begun } from '#lib/alerting/decide/escalation.ts';
import { afterTelling, announcementOf } from '#lib/alerting/decide/memory.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { type IncidentItem, ownIncident, toldBy } from '#lib/alerting/decide/notified-failure.ts';
import { classOf } from '#lib/alerting/decide/quiet-rules.ts';
import { knewBefore } from '#lib/alerting/decide/recipients.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { settled } from '#lib/alerting/decide/settle-held.ts';
import { awaitedRepair, type ChangeSituation, calledLater, decidedOn } from '#lib/alerting/decide/situation.ts';
import { channelsThatApply } from '#lib/alerting/policy/effective-policy.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { HeldCase } from './hold.ts';

type Kind = 'repeat' | 'catch_up';
type Entries = { [kind in Kind]: DeadlineEntry | undefined };

/** What becomes of a held alert. */
type DecidedHeld = {
  /** The transition, decided for good; undefined where it was before, or is not yet. */
  transition?: Write;
  /** It is held on for another reason. */
  goesOn?: Deadline;
  /** What goes out, and what the check remembers of it. */
  item?: AlertItem;
  alerts?: CheckItem['alerts'];
  /** The incident that its entity is part of with that, and who was told of its failure. */
  partOf?: IncidentRef;
  told?: IncidentItem | undefined;
  deadlines: { kind: Kind; present: DeadlineEntry | undefined; next: Deadline }[];
};

/**
 * Pure: once nothing holds it any more, an alert is decided by the rules of alerting as they find the check now. What
 * its channels know by then is not told again.
 */
export function decideHeld(keys: Keys, token: string, one: HeldCase, entries: Entries): DecidedHeld {
  const { check, entity, policy, held, transition, now } = one;
  if (transition.alert.decision !== 'held') return { deadlines: [] };
  const announces = announcementOf(check.state, policy);
  const channels = channelsThatApply(policy, announces, check.alerts);
  const repaired = held.reason === 'remediation' || held.repaired === true;
  const decided_on = {
    ...decidedOn(check, check.alerts, policy, channels, now),
    ...calledLater(policy, announces, channels),
    ...(!repaired && awaitedRepair(check, check.state, now)),
    ...(held.reason !== 'dependency' && entity.dependencies > 0 && { dependencies: entity.dependencies }),
  };
  const { cause, check_from_state: from } = transition;
  const situation: ChangeSituation = { ...decided_on, kind: 'state_change', cause, from, to: check.state };
  const settle = (final: Parameters<typeof settled>[3]) => settled(transition, token, now, final, { decided_on });
  const decided = decide(situation);
  if (decided.decision === 'planned' && situation.told === announces) {
    // What held it is why nobody was told of this change.
    const { reason, facts } = transition.alert;
    return {
      transition: settled(transition, token, now, { decision: 'skipped', reason, facts }),
      deadlines: [],
    };
  }
  if (decided.decision === 'held') {
    const from = decided.until ?? now;
    const { transition_sk } = held;
    const { reason } = decided;
    const next = {
      ...{ transition_sk, reason, from },
      ...(repaired && { repaired }),
      ...(reason === 'dependency' && knewBefore(check.alerts)),
    };
    return { goesOn: { deadline: from, note: { held: next } }, deadlines: [] };
  }
  if (decided.decision !== 'planned') {
    const { reason, facts, until } = decided;
    const isLater = until !== undefined && policy.catch_up && (reason === 'cooldown' || reason === 'silenced');
    const next = isLater ? mergeDeadline(entries.catch_up, { deadline: until }) : undefined;
    return {
      transition: settle({ decision: 'skipped', reason, facts }),
      ...(reason === 'no_channels' && { alerts: begun(check.alerts, policy, announces, now) }),
      deadlines: next ? [{ kind: 'catch_up', present: entries.catch_up, next }] : [],
    };
  }
  const partOf = check.state === 'down' ? ownIncident(entity, one.incident, transition) : entity.incident;
  const lasts = one.incident && one.incident.recovered_at === undefined;
  const { tenant_id, check_id, entity_id, expires_at } = transition;
  const item = alertItem(keys, {
    ...{ tenant_id, check_id, entity_id, transition, expires_at, channels, announces },
    ...{ kind: 'state_change', at: now, n: 1, decided_on: situation },
    ...(partOf && { incident_id: partOf.id }),
    ...(lasts && { with_others: true as const }),
  });
  const deliveries = deliveriesOf(item);
  // Repeats that were paused count from the alert.
  const repeat = entries.repeat && { deadline: now + policy.repeat_interval_seconds * 1000 };
  return {
    transition: settle({ decision: 'planned', reason: null, facts: {}, deliveries }),
    item,
    ...(partOf && { partOf }),
    told: toldBy(item, one.incident, { to: check.state, at: now }),
    alerts: begun(
      afterTelling(check.alerts, [{ id: item.id, announces }], classOf(situation), now),
      policy,
      announces,
      now,
    ),
    deadlines: repeat ? [{ kind: 'repeat', present: entries.repeat, next: repeat }] : [],
  };
}
