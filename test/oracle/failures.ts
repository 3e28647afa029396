import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { flapsAfter, suppressionReason } from './alert-rules.ts';
import { trackHolds, trackRelations } from './holds-seen.ts';
import { type EffectiveSettings, effectiveSettings, possibleTimes, trackAccounts } from './in-force.ts';
import { alertsIn, type Change, type Commit, checkIdOf, type Inside, isCheckKey, keyText } from './inside.ts';
import { skewOf } from './rules.ts';

/** Time after the end of the cooldown for messages, retries and outages of the service (ms). */
const SLACK_MS = 300_000;
/** Maximum time between the start of a decision and its commit (ms). */
const BEGUN_MS = 15_000;

/** A failure that only the cooldown suppressed, until an alert reports it; epoch ms, without `to` while it lasts. */
type Suppressed = { transition_id: string; check: CheckItem; from: number; to?: number; cooldown_until: number };

/**
 * Promise: every failure that a policy does not exclude is reported, at most one cooldown late: by an alert for down
 * while it lasts, else by the next alert, which states its time. A policy excludes failures that another rule
 * suppresses or holds, all failures while late alerts are off, and failures that are over while recovery alerts are
 * off.
 */
export function checkFailures({ seen, keys, profile, calmFrom, end }: Inside): string[] {
  const skew = skewOf({ profile });
  const accounts = trackAccounts();
  const [relations, holds] = [trackRelations(), trackHolds()];
  const table = new Map<string, Item>();
  /** Suppressed failures of each check that no alert has reported, oldest first. */
  const open = new Map<string, Suppressed[]>();
  /** Time of the last change of settings, by the id of its check, entity or account. */
  const changed = new Map<string, number>();
  const wrong: string[] = [];

  /** Returns the settings that a decision at `at` can have used. */
  const settingsAt = (check: CheckItem, at: number): EffectiveSettings[] =>
    accounts
      .of(check.tenant_id, at)
      .flatMap((account) => possibleTimes(at).map((time) => effectiveSettings(table, account, keys, check, time)));

  /** Whether the alert of a change would be sent if no cooldown ran. */
  function isOnlyCooldown(one: DecidedTransition, check: CheckItem, at: number): boolean {
    const given = { held: holds.of(check), needs: relations.from(check.entity_id).length };
    return settingsAt(check, at).every((settings) => {
      const policy = { ...settings, cooldown_seconds: 0 };
      return (
        suppressionReason(one, at, check, flapsAfter(check.alerts, one, at, policy), { ...given, policy }) === null
      );
    });
  }

  /** Whether a silence, a window, flapping, a dependency or a change of settings can have suppressed the late alert. */
  function isExcluded({ check: { id, tenant_id, entity_id }, from, to }: Suppressed, until: number): boolean {
    const check = table.get(keyText(keys.check(tenant_id, id))) as CheckItem | undefined;
    if (!check?.enabled || check.alerts.flapping?.notified || relations.from(entity_id).length > 0) return true;
    if (table.has(keyText(keys.entry('hold', tenant_id, id)))) return true;
    if ([id, tenant_id, entity_id].some((name) => (changed.get(name) ?? 0) > from - BEGUN_MS)) return true;
    if (seen.stops.some((stop) => stop.tenant === tenant_id && stop.over > from)) return true;
    const moments = Array.from({ length: Math.ceil((until - from) / 15_000) + 1 }, (_, i) => from + i * 15_000);
    return moments
      .flatMap((at) => settingsAt(check, at))
      .some((policy) => {
        const isOver = to !== undefined;
        const hasRecipients = policy.recipientIds(isOver ? 'up' : 'down').length > 0;
        const isSuppressed = policy.silenced || policy.window || !policy.late_alerts || !hasRecipients;
        return isSuppressed || (isOver && !policy.notify_on_recovery);
      });
  }

  /** Returns the time by which an alert must report the failure. */
  const dueOf = ({ cooldown_until }: Suppressed): number =>
    Math.max(cooldown_until, profile.quiet ? 0 : calmFrom) + SLACK_MS;

  function takeChange(one: DecidedTransition): void {
    const check = table.get(keyText(keys.check(one.tenant_id, one.check_id))) as CheckItem | undefined;
    const at = Date.parse(one.timestamp);
    const own = open.get(one.check_id) ?? [];
    const last = own.at(-1);
    if (last && last.to === undefined) last.to = at;
    if (one.check_to_state !== 'down' || one.alert.reason !== 'cooldown' || !check) return;
    if (!isOnlyCooldown(one, check, at)) return;
    const cooldown = Math.max(...settingsAt(check, at).map(({ cooldown_seconds }) => cooldown_seconds)) * 1000;
    const cooldown_until = (check.alerts.last_planned_at ?? at) + cooldown;
    open.set(check.id, [...own, { transition_id: one.transition_id, check, from: at, cooldown_until }]);
  }

  function takeAlert(alert: AlertItem): void {
    const own = open.get(alert.check_id) ?? [];
    open.delete(alert.check_id);
    const [over, lasting] = [own.filter(({ to }) => to !== undefined), own.filter(({ to }) => to === undefined)];
    const at = timeOf(alert.id);
    for (const one of own)
      if (at > dueOf(one) && !isExcluded(one, at))
        wrong.push(`failure ${one.transition_id} is reported at ${at}, its cooldown ended at ${one.cooldown_until}`);
    if (lasting[0] && alert.reports_state !== 'down')
      wrong.push(`alert ${alert.id} reports ${alert.reports_state} during the failure ${lasting[0].transition_id}`);
    const last = over.at(-1);
    if (!last) return;
    const { count = 0, from = '' } = alert.unreported ?? {};
    // The alert can name a later failure that is not in `over`, because another rule possibly suppressed it too.
    if (count < over.length || Date.parse(from) < last.from - skew)
      wrong.push(`alert ${alert.id} does not include the failure ${last.transition_id}, which no alert had reported`);
  }

  for (const commit of seen.commits) {
    for (const one of changesOf(commit)) takeChange(one);
    for (const alert of alertsIn(commit).filter(({ kind }) => kind !== 'acknowledged' && kind !== 'test'))
      takeAlert(alert);
    for (const change of commit.changes) {
      const subject = subjectOf(change);
      if (subject !== undefined) changed.set(subject, commit.at);
      if (change.after) table.set(keyText(change.key), change.after);
      else table.delete(keyText(change.key));
    }
    accounts.take(commit);
    relations.take(commit);
    holds.take(commit);
  }
  for (const one of [...open.values()].flat())
    if (dueOf(one) < end && !isExcluded(one, end)) wrong.push(`failure ${one.transition_id} is never reported`);
  return wrong;
}

/** Returns the id of the check, entity or account whose settings a change concerns. */
function subjectOf({ key, before, after }: Change): string | undefined {
  if (key.pk.endsWith('#ALERTING')) return key.pk.split('#')[1];
  if (key.sk === 'POLICY') return checkIdOf(key);
  const [old, now] = [before, after] as (Partial<CheckItem & EntityItem> | undefined)[];
  if (isCheckKey(key) && old?.rev !== now?.rev) return checkIdOf(key);
  const isSilence = old?.silenced !== now?.silenced || old?.silenced_until !== now?.silenced_until;
  return key.pk.includes('#ENTITIES#') && isSilence ? key.sk : undefined;
}

const changesOf = ({ changes }: Commit): DecidedTransition[] =>
  changes.flatMap(({ key, before, after }) =>
    key.sk.startsWith('TR#') && !before && after ? [after as DecidedTransition] : [],
  );
