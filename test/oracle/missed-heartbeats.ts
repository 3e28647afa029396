import type { CheckItem } from '#lib/checks/check-item.ts';
import { failsAfter, failsNext, isMissedLater, overrunsAt } from './deadlines.ts';
import type { History, MissedHeartbeat } from './history.ts';
import { checksIn, type Inside, sleptIn } from './inside.ts';
import { outagesOf, skewOf } from './rules.ts';

/** Maximum delay of a missed heartbeat without faults (ms, docs/use/heartbeats.md#missed-heartbeats). */
const QUIET_MARGIN_MS = 15_000;
/** Maximum delay of a deadline that a fault has lost: it returns with a tick, within two minutes (ms). */
const CALM_MARGIN_MS = 130_000;
/** Maximum duration of an evaluation (ms). One in progress when an outage is recorded possibly does not know it. */
const UNDER_WAY_MS = 12_000;
/** Time between two ticks if none fails (ms). */
const TICK_MS = 63_000;

/** Promise: a missed heartbeat is recorded in time, and never after an acknowledged push or for unmonitored time. */
export function checkMissedHeartbeats(history: History): string[] {
  const wrong = history.missedHeartbeats.flatMap((missed) =>
    [...pushedBefore(history, missed), ...startedBefore(history, missed), ...unmonitored(history, missed)].map(
      (text) => `missed heartbeat of check ${missed.check_id} at ${missed.at}: ${text}`,
    ),
  );
  const { inside } = history;
  return inside ? [...wrong, ...checkDeadlines(history, inside), ...checkEnd(history, inside)] : wrong;
}

/** Returns the pushes that were acknowledged before a missed heartbeat and had postponed its deadline, as texts. */
function pushedBefore(
  { pushes, results }: History,
  { check_id, at, failsAfter, overrun, recorded }: MissedHeartbeat,
): string[] {
  if (overrun) return [];
  const stored = new Map(results.filter((one) => one.check_id === check_id).map((one) => [one.id, one]));
  return pushes.flatMap(({ started_at, answered }) => {
    const result = answered?.status === 201 ? stored.get(answered.result_id!) : undefined;
    if (!answered || !result || result.record_only) return [];
    const since = result.received_at ?? started_at;
    const isBefore = recorded ? answered.n < recorded.n : answered.at <= at;
    return isBefore && at < failsAfter(since, true) ? [`the push of ${since} was acknowledged before`] : [];
  });
}

/**
 * Returns the starts of job runs that were acknowledged before a missed heartbeat and had postponed its deadline, as
 * texts. The clock of the process that received a start can be behind.
 */
const startedBefore = (
  { inside }: History,
  { check_id, at, failsAfter, overrun, recorded }: MissedHeartbeat,
): string[] =>
  (inside?.seen.starts ?? []).flatMap(({ started_at, n, ...start }) => {
    const isBefore = !overrun && start.check_id === check_id && n < recorded!.n;
    const counts = [started_at, started_at - skewOf(inside!)].every((came) => at < failsAfter(came, true));
    return isBefore && counts ? [`the start of ${started_at} was acknowledged before`] : [];
  });

/** Returns the downtimes that ended before a missed heartbeat was recorded and postponed its deadline, as texts. */
function unmonitored({ away }: History, missed: MissedHeartbeat): string[] {
  const { at, recorded } = missed;
  return away.flatMap(({ from, to }) => {
    const isBefore = recorded ? to < recorded.at - UNDER_WAY_MS || to <= recorded.began_at : from < at;
    return isBefore && isTooEarly(missed, to) ? [`the check was not monitored until ${to}`] : [];
  });
}

/** Whether the deadline would be later if monitoring started at `to`. */
function isTooEarly({ at, failsAfter, overrun, recorded }: MissedHeartbeat, to: number): boolean {
  if (!overrun) return at < failsAfter(to, false);
  return runsOf(recorded!.check, at).every(({ received_at }) => received_at < to);
}

/** Returns the job runs of a check that are overdue at `at`. */
const runsOf = (check: CheckItem, at: number) =>
  (check.runs ?? []).filter((run) => !run.overrun && overrunsAt(check, run) === at);

/** A missed heartbeat is recorded with current settings, for time with an enabled account, and after its deadline. */
function checkDeadlines({ missedHeartbeats, results }: History, inside: Inside): string[] {
  const { seen, profile } = inside;
  const wrong: string[] = [];
  for (const missed of missedHeartbeats) {
    const { check_id, at, recorded, overrun } = missed;
    const { check, ...commit } = recorded!;
    const say = (text: string) =>
      wrong.push(`missed heartbeat of check ${check_id} at ${at}, commit ${commit.n}: ${text}`);
    if (overrun && runsOf(check, at).length === 0) say('no job run was overdue');
    if (at < check.settings_at) say(`its settings changed later, at ${check.settings_at}`);
    const known = heartbeatsOf(results, check, commit.n);
    const isFirst = known.length === 0 && check.missed_at === undefined;
    if (isFirst && failsNext(check, check.settings_at, undefined, 0) > at) say('its first heartbeat was not overdue');
    if (!overrun && !isFirst && at < failsAfter(check, check.settings_at))
      say(`settings changed at ${check.settings_at}`);
    const last = check.last_received?.received_at;
    if (!overrun && last !== undefined && at < failsAfter(check, last, true))
      say(`the check had a heartbeat at ${last}`);
    if (at > commit.at + skewOf(inside)) say('it was recorded before its deadline');
    for (const { to } of seen.stops)
      if (to < commit.at - UNDER_WAY_MS - sleptIn(seen, to, commit.at) && !isFirst && isTooEarly(missed, to))
        say(`the account was disabled until ${to}`);
    // A push that arrives between the evaluation and the commit counts after it.
    const read = known.filter((received_at) => received_at < commit.at - 200);
    const enabled = Math.max(0, ...seen.stops.filter(({ over }) => over <= commit.at).map((stop) => stop.enabled_at));
    if (profile.quiet) checkTime(check, { at, now: commit.at, enabled }, read, say);
  }
  return wrong;
}

/** Returns the times of the heartbeats of a check up to a commit: pushes that count, and starts. */
const heartbeatsOf = (results: History['results'], check: CheckItem, until = Number.POSITIVE_INFINITY): number[] => [
  ...results
    .filter((one) => one.check_id === check.id && !one.record_only && one.n <= until)
    .map(({ received_at }) => received_at!),
  ...(check.last_received ? [check.last_received.received_at] : []),
];

/** Without faults, a missed heartbeat is recorded in time, with the exact deadline. */
function checkTime(
  check: CheckItem,
  { at, now, enabled }: { at: number; now: number; enabled: number },
  known: number[],
  say: (text: string) => void,
): void {
  const last = known.length > 0 ? Math.max(...known) : undefined;
  const since = Math.max(check.settings_at, enabled, last ?? 0);
  const due = failsNext(check, since, last, enabled);
  if (due < enabled + TICK_MS) {
    // The deadlines of an account that was enabled return with the next tick.
    if (at < due || (at !== due && !isMissedLater(check, due, at)) || now > enabled + TICK_MS + QUIET_MARGIN_MS)
      say(`it was due at ${due}, after the account was enabled`);
    return;
  }
  if (at !== due) say(`it was due at ${due}`);
  if (now > due + QUIET_MARGIN_MS) say(`it was recorded ${now - due} ms late`);
}

/** Every missed heartbeat that is due at the end is recorded: no agent has sent anything for minutes. */
function checkEnd({ results, away }: History, { seen, profile, end }: Inside): string[] {
  const margin = profile.quiet ? QUIET_MARGIN_MS : CALM_MARGIN_MS;
  return checksIn(seen).flatMap((check) => {
    if (!check.enabled || check.execution_mode !== 'push') return [];
    const known = heartbeatsOf(results, check);
    const last = known.length > 0 ? Math.max(...known) : undefined;
    const outages = [...away, ...outagesOf(seen)];
    const monitoredSince = Math.max(0, ...outages.map(({ to }) => to), ...seen.stops.map((stop) => stop.enabled_at));
    const due = failsNext(check, Math.max(check.settings_at, last ?? 0, monitoredSince), last, monitoredSince);
    return end > due + margin ? [`the missed heartbeat of check ${check.id} was due at ${due} but never recorded`] : [];
  });
}
