import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { Span } from './history.ts';
import { holdIn, trackHolds } from './holds-seen.ts';
import { effectiveSettings, possibleTimes, trackAccounts } from './in-force.ts';
import { type Inside, isCheckKey, keyText } from './inside.ts';
import { type SeenNotification, trackNotifications } from './seen-notifications.ts';
import { upstreamIn } from './upstream.ts';

/** Maximum time between the start of a recheck and its commit (ms). */
const BEGUN_MS = 15_000;
/**
 * Maximum time for which an alert is held after the recovery of a root cause: the settling time, and the run of the
 * check that counts after it (ms).
 */
const SETTLING_MS = 600_000 + 130_000;
/** Time for which a check must stay up during another failure to be independent of it (ms); at least two intervals. */
const SURVIVES_MS = 120_000;
/**
 * Maximum time from a failed delivery to the recheck of alerts that were withheld because its destination counted as
 * notified (ms).
 */
const NOTED_MS = 60_000;
/** Value of NOTED_MS in a run with faults (ms). */
const NOTED_LATE_MS = 300_000;

/**
 * Promise: a recipient that is not notified of a failure was notified of its root cause. An alert is withheld from a
 * destination only in three cases: the destination was notified of a failed upstream entity of the check, or will be
 * shortly; the root cause has just recovered, so that the check has time to recover too; no recipient is to be
 * notified.
 */
export function checkWithheldAlerts(inside: Pick<Inside, 'seen' | 'keys' | 'profile'>): string[] {
  const { seen, keys, profile } = inside;
  const upstream = upstreamIn(inside);
  const notifications = trackNotifications(seen);
  const holds = trackHolds();
  const accounts = trackAccounts();
  const table = new Map<string, Item>();
  const wrong: string[] = [];
  const noted = profile.quiet ? NOTED_MS : NOTED_LATE_MS;

  /**
   * Whether a destination has been notified of the problem of a cause at a time. A notified recovery does not count at
   * once, because one of the checks of the cause can recover before the cause does.
   */
  function knows(
    [last, ...before]: readonly SeenNotification[],
    at: number,
    cooldown_ms: number,
    since: number,
  ): boolean {
    if (!last) return false;
    const counts = ({ failed_at }: SeenNotification) => failed_at === undefined || failed_at >= at - noted;
    if (!counts(last)) return knows(before, at, cooldown_ms, since);
    if (last.says !== 'up') return true;
    const isRecent = last.at > at - Math.max(SETTLING_MS, cooldown_ms);
    return before.some((one) => one.says !== 'up' && counts(one) && (isRecent || one.at > since - BEGUN_MS));
  }

  for (const commit of seen.commits) {
    const { at } = commit;
    notifications.take(commit);
    holds.take(commit);
    for (const { key, after } of commit.changes) {
      if (after) table.set(keyText(key), after);
      else table.delete(keyText(key));
    }
    accounts.take(commit);
    for (const change of commit.changes) {
      const hold = holdIn(change);
      const isRecheck =
        hold?.before?.note?.held?.reason === 'dependency' && hold.after?.note?.held?.reason === 'dependency';
      // A recheck that was brought forward follows shortly.
      if (!hold || !isRecheck || hold.after!.deadline <= at) continue;
      const check = table.get(keyText(keys.check(hold.after!.tenant_id, hold.check_id))) as CheckItem | undefined;
      if (!check) continue;
      const notified = holds.of(check)?.notified ?? new Set();
      const causes = [...upstream.upstreamOf(check.entity_id, at - SETTLING_MS, at)];
      const isPending = [...table.values()].some(
        (item) =>
          isCheckKey(item) &&
          causes.includes((item as CheckItem).entity_id) &&
          holds.wasUnnotified((item as CheckItem).id, at - BEGUN_MS),
      );
      if (isPending || isSettling(check, at)) continue;
      const possible = accounts
        .of(check.tenant_id, at)
        .flatMap((account) =>
          possibleTimes(at).map((moment) => effectiveSettings(table, account, keys, check, moment)),
        );
      const missing = possible.map(({ recipients, cooldown_seconds, silenced, window }) =>
        recipients('down').filter(
          ({ destination, ids }) =>
            !silenced &&
            !window &&
            ![destination, ...ids].some((one) => notified.has(one)) &&
            !causes.some((cause) => {
              const since = upstream.problemSince(cause, at);
              return knows(notifications.of(cause, destination), at, cooldown_seconds * 1000, since);
            }),
        ),
      );
      if (missing.every(({ length }) => length > 0))
        wrong.push(
          `${check.id}: at ${at} the alert is withheld from ${missing[0]!.map(({ id }) => id)}, which was not notified of a cause`,
        );
    }
  }
  return wrong;

  /** Whether an upstream entity had a problem within the settling time, and no required upstream entity fails now. */
  function isSettling({ entity_id, state_since, interval_seconds }: CheckItem, at: number): boolean {
    const isKnown = ({ from }: Span) => from < at - BEGUN_MS;
    const needs = upstream.needsOf(entity_id, at, isWell);
    const dependents = new Set([entity_id, ...needs]);
    // Entities in one cycle are not causes of each other.
    const isInCycle = (cause: string) => upstream.upstreamOf(cause, at, at).has(entity_id);
    const causes = [...needs].filter((cause) => !isInCycle(cause));
    const failing = causes.filter((cause) => fails(cause, upstream.countsWhenDegraded(cause, dependents, at)));
    const survived = Date.parse(state_since) - Math.max(SURVIVES_MS, 2000 * interval_seconds);
    const isNow = failing
      .map((cause) => upstream.problemSince(cause, at))
      .some((since) => since < at - BEGUN_MS && since > survived);
    return upstream.problemsOf(entity_id, at - SETTLING_MS, at).some(isKnown) && !isNow;
  }

  /** Returns the enabled checks of an entity. */
  function enabledChecksOf(entity: string): CheckItem[] {
    const checks = [...table.values()].filter((item): item is CheckItem => isCheckKey(item));
    return checks.filter((check) => check.entity_id === entity && check.enabled);
  }

  /** Whether an entity is healthy, so that failures upstream of it are not a cause. */
  function isWell(entity: string): boolean {
    return enabledChecksOf(entity).some(({ state }) => state === 'up');
  }

  /**
   * Whether an entity fails: all its enabled pull checks are down, or all its push checks if it has no pull checks.
   * With `countsWhenDegraded`, one check that is down is enough.
   */
  function fails(entity: string, countsWhenDegraded: boolean): boolean {
    const enabled = enabledChecksOf(entity);
    const pulls = enabled.filter(({ execution_mode }) => execution_mode === 'pull');
    const isDown = ({ state }: CheckItem) => state === 'down';
    if (countsWhenDegraded) return enabled.some(isDown);
    const deciding = pulls.length > 0 ? pulls : enabled;
    return deciding.length > 0 && deciding.every(isDown);
  }
}
