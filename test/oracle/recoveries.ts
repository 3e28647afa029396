import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { HOLDS, reportableState } from './alert-rules.ts';
import { effectiveSettings, possibleTimes, trackAccounts } from './in-force.ts';
import { type Commit, deliveriesIn, type Inside, isCheckKey, keyText, type Seen } from './inside.ts';
import { destinationOf, type SeenNotification, stateAlertsIn, trackNotifications } from './seen-notifications.ts';

/**
 * Promise: recipients that were not notified of a failure are not notified of its recovery, and notified ones are:
 * while the alert of a failure is held, its recovery goes to all recipients that were notified of the failure
 * nevertheless, and to no others.
 */
export function checkRecoveries({ seen, keys }: Inside): string[] {
  const notifications = trackNotifications(seen);
  const accounts = trackAccounts();
  const table = new Map<string, Item>();
  /** Checks whose failure is held and had no recipient that was notified of a problem before. */
  const unnotified = new Set<string>();
  const outOfOrder = outOfOrderIn(seen);
  /** Time at which the service last noticed that alerts of a check arrived in the wrong order (epoch ms). */
  const misledAt = new Map<string, number>();
  /** Time of the last planned recovery of each check (epoch ms). */
  const recoveredAt = new Map<string, number>();
  const wrong: string[] = [];

  for (const commit of seen.commits) {
    const { at } = commit;
    for (const one of changesOf(commit)) {
      const check = table.get(keyText(keys.check(one.tenant_id, one.check_id))) as CheckItem | undefined;
      const isHeld = one.alert.decision === 'held' && one.check_to_state === 'down';
      if (!check) continue;
      const of = (destination: string) => notifications.of(check.id, destination);
      const possible = accounts
        .of(check.tenant_id, at)
        .flatMap((account) =>
          possibleTimes(at).map((moment) => effectiveSettings(table, account, keys, check, moment)),
        );
      const isUp = possible.some((policy) => reportableState(policy, one.check_to_state) === 'up');
      if (isHeld) unnotified.add(check.id);
      else if (!isUp) unnotified.delete(check.id);
      // A removed channel counts too: if it was notified, all recipients get the recovery.
      if (isHeld && notifications.destinationsOf(check.id).some((destination) => mayKnow(of(destination))))
        unnotified.delete(check.id);
      // All recipients get it too if alerts arrived in the wrong order: the last notified state is then unknown.
      if ((misledAt.get(check.id) ?? -1) >= (recoveredAt.get(check.id) ?? 0)) unnotified.delete(check.id);
      if (!isUp || one.cause.startsWith('check_')) continue;
      if (one.alert.decision === 'skipped' && HOLDS.includes(one.alert.reason ?? '')) {
        const left = possible.map(({ recipients }) =>
          recipients('up').filter(({ destination }) => surelyKnows(of(destination), recoveredAt.get(check.id) ?? 0)),
        );
        if (left.every(({ length }) => length > 0))
          wrong.push(
            `${one.transition_id}: ${left[0]!.map(({ id }) => id)} were notified of the problem but not of the recovery`,
          );
      }
      // If the failure was notified or is no longer held, all recipients get the recovery, including a new channel.
      const isHeldNow = table.has(keyText(keys.entry('hold', check.tenant_id, check.id)));
      const alerts = stateAlertsIn(commit).filter(({ transition_id }) => transition_id === one.transition_id);
      for (const target of unnotified.has(check.id) && isHeldNow ? alerts.flatMap(({ to }) => to) : [])
        if (!mayKnow(of(destinationOf(target))))
          wrong.push(
            `${one.transition_id}: ${target.channel_id} is notified of the recovery, but was not of the failure`,
          );
      unnotified.delete(check.id);
    }
    for (const { check_id, reports_state, id } of stateAlertsIn(commit))
      if (reports_state === 'up') recoveredAt.set(check_id, timeOf(id));
    notifications.take(commit);
    accounts.take(commit);
    for (const { key, after } of commit.changes) {
      if (after) table.set(keyText(key), after);
      else table.delete(keyText(key));
      if (!isCheckKey(key)) continue;
      const id = key.sk.slice('CHECK#'.length);
      if (!after) unnotified.delete(id);
      const { announced } = (after as CheckItem | undefined)?.alerts ?? {};
      const isUnclear = announced?.baseline === 'unknown' && announced.latest.length === 0;
      if (isUnclear && outOfOrder.get(id)?.some((sent) => sent <= at)) misledAt.set(id, at);
    }
  }
  return wrong;
}

const changesOf = ({ changes }: Commit): DecidedTransition[] =>
  changes.flatMap(({ key, before, after }) =>
    key.sk.startsWith('TR#') && !before && after ? [after as DecidedTransition] : [],
  );

/** Returns the times at which alerts were delivered after a newer one with another state (epoch ms), by check. */
function outOfOrderIn(seen: Pick<Seen, 'table'>): Map<string, number[]> {
  const sent = deliveriesIn(seen).filter(({ status }) => status === 'sent');
  const late = [...Map.groupBy(sent, ({ check_id, channel_id }) => `${check_id} ${channel_id}`).values()].flatMap(
    (deliveries) =>
      deliveries.filter((one) =>
        deliveries.some(
          (newer) => newer.id > one.id && newer.sent_at! <= one.sent_at! && newer.to_state !== one.to_state,
        ),
      ),
  );
  const times = Map.groupBy(late, ({ check_id }) => check_id);
  return new Map([...times].map(([id, deliveries]) => [id, deliveries.map(({ sent_at }) => Date.parse(sent_at!))]));
}

/** Whether the last delivered notification can report a problem. */
const mayKnow = ([last, ...before]: readonly SeenNotification[]): boolean =>
  last !== undefined && (last.says !== 'up' || (last.failed_at !== undefined && mayKnow(before)));

/** Whether the last notification reports a problem since the last recovery, and was certainly delivered. */
const surelyKnows = ([last]: readonly SeenNotification[], recovered_at: number): boolean =>
  last !== undefined && last.at > recovered_at && last.says !== 'up' && last.failed_at === undefined;
