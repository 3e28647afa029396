import type { CheckItem } from '#lib/checks/check-item.ts';
import { failsAfter, failsNext, isMissedLater, overrunsAt } from './deadlines.ts';
import type { History, Silence } from './history.ts';
import { checksIn, type Inside } from './inside.ts';
import { outagesOf, skewOf } from './rules.ts';

/** A silence is judged within 15 s when nothing of ours fails (docs/use/heartbeats.md#missed-heartbeats). */
const QUIET_MARGIN_MS = 15_000;
/** A deadline that a fault has lost comes again with a tick, at most two minutes later. */
const CALM_MARGIN_MS = 130_000;
/** A judgement that was under way when an outage was noted may not have seen it. */
const UNDER_WAY_MS = 12_000;
/** From one tick to the next, if none fails (ms). */
const TICK_MS = 63_000;

/** The dead man's switch: never against a push that was answered, never for time that nobody watched, and in time. */
export function checkSilence(history: History): string[] {
  const wrong = history.silences.flatMap((silence) =>
    [...heardBefore(history, silence), ...startedBefore(history, silence), ...unwatched(history, silence)].map(
      (text) => `silence of ${silence.check_id} at ${silence.at}: ${text}`,
    ),
  );
  const { inside } = history;
  return inside ? [...wrong, ...checkDeadlines(history, inside), ...checkEnd(history, inside)] : wrong;
}

/** Pushes that were answered before, and after which it was to fail later. */
function heardBefore({ pushes, results }: History, { check_id, at, failsAfter, overrun, judged }: Silence): string[] {
  if (overrun) return [];
  const stored = new Map(results.filter((one) => one.check_id === check_id).map((one) => [one.id, one]));
  return pushes.flatMap(({ started_at, answered }) => {
    const result = answered?.status === 201 ? stored.get(answered.result_id!) : undefined;
    if (!answered || !result || result.history) return [];
    const since = result.received_at ?? started_at;
    const isBefore = judged ? answered.n < judged.n : answered.at <= at;
    return isBefore && at < failsAfter(since, true) ? [`push of ${since} was answered before`] : [];
  });
}

/** Starts that were answered before, likewise; the clock by which they came may run behind. */
const startedBefore = ({ inside }: History, { check_id, at, failsAfter, overrun, judged }: Silence): string[] =>
  (inside?.seen.starts ?? []).flatMap(({ started_at, n, ...start }) => {
    const isBefore = !overrun && start.check_id === check_id && n < judged!.n;
    const counts = [started_at, started_at - skewOf(inside!)].every((came) => at < failsAfter(came, true));
    return isBefore && counts ? [`start of ${started_at} was answered before`] : [];
  });

/** Times away that were over before it was judged, and after which it was to fail later. */
function unwatched({ away }: History, silence: Silence): string[] {
  const { at, judged } = silence;
  return away.flatMap(({ from, to }) => {
    const isBefore = judged ? to < judged.at - UNDER_WAY_MS || to <= judged.began_at : from < at;
    return isBefore && isTooEarly(silence, to) ? [`nobody watched until ${to}`] : [];
  });
}

/** Whether it was to fail later, if nobody watched until then. */
function isTooEarly({ at, failsAfter, overrun, judged }: Silence, to: number): boolean {
  if (!overrun) return at < failsAfter(to, false);
  return runsOf(judged!.check, at).every(({ received_at }) => received_at < to);
}

/** Runs of a check that have overrun at an instant. */
const runsOf = (check: CheckItem, at: number) =>
  (check.runs ?? []).filter((run) => !run.overrun && overrunsAt(check, run) === at);

/** It is judged for the settings that stand, for time in which the account was enabled, and after its deadline. */
function checkDeadlines({ silences, results }: History, inside: Inside): string[] {
  const { seen, profile } = inside;
  const wrong: string[] = [];
  for (const silence of silences) {
    const { check_id, at, judged, overrun } = silence;
    const { check, ...commit } = judged!;
    const say = (text: string) => wrong.push(`silence of ${check_id} at ${at}, commit ${commit.n}: ${text}`);
    if (overrun && runsOf(check, at).length === 0) say('no run was open so long');
    if (at < check.settings_at) say(`its settings stand since ${check.settings_at}`);
    const known = signsOf(results, check, commit.n);
    const isFirst = known.length === 0 && check.silence_at === undefined;
    if (isFirst && failsNext(check, check.settings_at, undefined, 0) > at) say('before any push');
    if (!overrun && !isFirst && at < failsAfter(check, check.settings_at))
      say(`settings changed at ${check.settings_at}`);
    const noted = check.last_received?.received_at;
    if (!overrun && noted !== undefined && at < failsAfter(check, noted, true)) say(`the check had a sign of ${noted}`);
    if (at > commit.at + skewOf(inside)) say('before its time');
    for (const { to } of seen.stops)
      if (to < commit.at - UNDER_WAY_MS && !isFirst && isTooEarly(silence, to))
        say(`the account was disabled until ${to}`);
    // A push that arrives between the look and the commit is judged after it.
    const looked = known.filter((received_at) => received_at < commit.at - 200);
    const enabled = Math.max(0, ...seen.stops.filter(({ over }) => over <= commit.at).map((stop) => stop.enabled_at));
    if (profile.quiet) checkTime(check, { at, now: commit.at, enabled }, looked, say);
  }
  return wrong;
}

/** When the signs of life of a check came, up to a commit: pushes that count, and starts. */
const signsOf = (results: History['results'], check: CheckItem, until = Number.POSITIVE_INFINITY): number[] => [
  ...results
    .filter((one) => one.check_id === check.id && !one.history && one.n <= until)
    .map(({ received_at }) => received_at!),
  ...(check.last_received ? [check.last_received.received_at] : []),
];

/** When nothing fails: on the dot. */
function checkTime(
  check: CheckItem,
  { at, now, enabled }: { at: number; now: number; enabled: number },
  known: number[],
  say: (text: string) => void,
): void {
  const sign = known.length > 0 ? Math.max(...known) : undefined;
  const since = Math.max(check.settings_at, enabled, sign ?? 0);
  const due = failsNext(check, since, sign, enabled);
  if (due < enabled + TICK_MS) {
    // The deadlines of an account that was enabled come with the next tick.
    if (at < due || (at !== due && !isMissedLater(check, due, at)) || now > enabled + TICK_MS + QUIET_MARGIN_MS)
      say(`it was due at ${due}, after enabling`);
    return;
  }
  if (at !== due) say(`it was due at ${due}`);
  if (now > due + QUIET_MARGIN_MS) say(`it was judged ${now - due} ms late`);
}

/** At the end every agent has been silent for minutes. */
function checkEnd({ results, away }: History, { seen, profile, end }: Inside): string[] {
  const margin = profile.quiet ? QUIET_MARGIN_MS : CALM_MARGIN_MS;
  return checksIn(seen).flatMap((check) => {
    if (!check.enabled || check.execution_mode !== 'push') return [];
    const known = signsOf(results, check);
    const sign = known.length > 0 ? Math.max(...known) : undefined;
    const outages = [...away, ...outagesOf(seen)];
    const watchedSince = Math.max(0, ...outages.map(({ to }) => to), ...seen.stops.map((stop) => stop.enabled_at));
    const due = failsNext(check, Math.max(check.settings_at, sign ?? 0, watchedSince), sign, watchedSince);
    return end > due + margin ? [`silence of ${check.id} was due at ${due} and never judged`] : [];
  });
}
