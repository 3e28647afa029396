import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { graceOf } from './deadlines.ts';
import { holdIn } from './holds-seen.ts';
import { effectiveSettings, possibleTimes, trackAccounts } from './in-force.ts';
import { checksIn, type Inside, keyText } from './inside.ts';
import { skewOf } from './rules.ts';
import { upstreamIn } from './upstream.ts';

/** Maximum time after its deadline for which a held alert waits for the schedule or a retry (ms). */
const SLACK_MS = 10 * 60_000;
/** Maximum time until the next recheck finds that a failure has no cause any more (ms). */
const RECHECK_MS = 300_000;
/** Minimum time that a check is given to recover after its cause (ms). */
const MIN_SETTLING_MS = 60_000;
/** Maximum time from the recovery of the first cause until the next run of the check decides the alert (ms). */
const MAX_SETTLING_MS = 600_000;
/** Time for messages, reads and writes (ms). */
const SPARE_MS = 60_000;

/**
 * Promise: no alert stays held. Each alert that is held at the end belongs to the last change of a check and has a
 * deadline that is never far ahead and, without faults, not long past. An alert that waits for its root cause is
 * decided when the cause is over and the check had time to recover; time in windows and silences does not count.
 */
export const checkHolds = (inside: Inside): string[] => [...checkLeft(inside), ...checkReleased(inside)];

function checkLeft({ seen, keys, end, profile }: Inside): string[] {
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is DecidedTransition => item.sk.startsWith('TR#'));
  const checks = new Map(checksIn(seen).map((check) => [check.id, check]));
  const wrong: string[] = [];
  for (const [id, own] of Map.groupBy(transitions, ({ check_id }) => check_id)) {
    const check = checks.get(id);
    if (!check) continue;
    const last = own.reduce((a, b) => (a.sk > b.sk ? a : b));
    const entry = seen.table.get(keyText(keys.entry('hold', check.tenant_id, id))) as DeadlineEntry | undefined;
    const held = entry?.note?.held;
    for (const one of own.filter(({ alert }) => alert.decision === 'held')) {
      if (one !== last) wrong.push(`transition ${one.transition_id} is held, but its check has changed since`);
      else if (held?.transition_sk !== one.sk) wrong.push(`transition ${one.transition_id} is held without a deadline`);
    }
    if (!entry) continue;
    if (profile.quiet && entry.deadline < end - SLACK_MS)
      wrong.push(`the recheck of transition ${last.transition_id} is long overdue`);
    // The alert can wait for other recipients after some were notified, or as a late alert after a cooldown.
    const waitsOn = held?.reason === 'dependency' && held.transition_sk === last.sk && last.check_to_state === 'down';
    if (last.alert.decision !== 'held' && !waitsOn)
      wrong.push(`check ${id} has the deadline of a held alert, but none is held`);
  }
  return wrong;
}

function checkReleased(inside: Inside): string[] {
  const { seen, keys, calmFrom, end, profile } = inside;
  const upstream = upstreamIn(inside);
  const skew = skewOf(inside);
  const begun = new Map<string, number>();
  const wrong: string[] = [];
  // The service has no faults after this time; time without monitoring does not count.
  const monitoredFrom = Math.max(profile.quiet ? 0 : calmFrom, ...seen.stops.map(({ over }) => over));
  const checkDuration = (check: CheckItem | undefined, from: number, until: number): void => {
    if (!check) return;
    const over = Math.max(from, monitoredFrom, upstream.problemUntil(check.entity_id, from, until));
    const due = over + RECHECK_MS + settlingOf(check) + SPARE_MS;
    if (until > due)
      wrong.push(
        `${check.id}: its alert is held from ${from} to ${until}, although nothing explained the hold after ${over}`,
      );
  };
  const checks = new Map<string, CheckItem>();
  const accounts = trackAccounts();
  const table = new Map<string, Item>();
  /** Whether a window or a silence possibly suppresses alerts of a check. */
  const isSuppressed = (check: CheckItem, at: number): boolean =>
    accounts
      .of(check.tenant_id, at)
      .flatMap((account) => possibleTimes(at).map((moment) => effectiveSettings(table, account, keys, check, moment)))
      .some(({ silenced, window }) => silenced || window);
  for (const commit of seen.commits) {
    accounts.take(commit);
    for (const change of commit.changes) {
      if (change.after) table.set(keyText(change.key), change.after);
      else table.delete(keyText(change.key));
      if (change.key.sk.startsWith('CHECK#') && change.after)
        checks.set((change.after as CheckItem).id, change.after as CheckItem);
      const hold = holdIn(change);
      if (!hold) continue;
      const waitsForCause = hold.after?.note?.held?.reason === 'dependency';
      const known = checks.get(hold.check_id);
      const latest = commit.at + MAX_SETTLING_MS + (known ? settlingOf(known) : 0) + skew;
      if (waitsForCause && hold.after!.deadline > latest)
        wrong.push(
          `${hold.check_id}: at ${commit.at} its held alert got the deadline ${hold.after!.deadline}, which is too late`,
        );
      const from = begun.get(hold.check_id);
      if (waitsForCause && (from === undefined || (known && isSuppressed(known, commit.at))))
        begun.set(hold.check_id, commit.at);
      if (waitsForCause || from === undefined) continue;
      begun.delete(hold.check_id);
      checkDuration(checks.get(hold.check_id), from, commit.at);
    }
  }
  const left = new Map(checksIn(seen).map((check) => [check.id, check]));
  for (const [id, from] of begun) checkDuration(left.get(id), from, end);
  return wrong;
}

/** Returns the maximum time until a check has detected its recovery and, for a pull check, run once more (ms). */
function settlingOf(check: CheckItem): number {
  if (check.execution_mode === 'push') return Math.max(MIN_SETTLING_MS, graceOf(check));
  const { interval_seconds, timeout_ms, failure_threshold, recovery_threshold } = check;
  const runs = Math.max(failure_threshold, recovery_threshold);
  const interval = interval_seconds * 1000;
  return Math.max(MIN_SETTLING_MS, runs * interval + timeout_ms) + interval + timeout_ms;
}
