import type { CheckItem } from '#lib/checks/check-item.ts';
import type { History, Silence } from './history.ts';
import { checksIn, type Inside } from './inside.ts';
import { graceOf, skewOf } from './rules.ts';

/** A silence is judged within 15 s when nothing of ours fails (docs/CONTRACT.md#silence). */
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
    [...heardBefore(history, silence), ...unwatched(history, silence)].map(
      (text) => `silence of ${silence.check_id} at ${silence.at}: ${text}`,
    ),
  );
  const { inside } = history;
  return inside ? [...wrong, ...checkDeadlines(history, inside), ...checkEnd(history, inside)] : wrong;
}

/** Pushes that were answered before, and leave no whole grace until then. */
function heardBefore({ pushes, results }: History, { check_id, at, grace_ms, judged }: Silence): string[] {
  const stored = new Map(results.filter((one) => one.check_id === check_id).map((one) => [one.id, one]));
  return pushes.flatMap(({ started_at, answered }) => {
    const result = answered?.status === 201 ? stored.get(answered.result_id!) : undefined;
    if (!answered || !result || result.history) return [];
    const since = result.received_at ?? started_at;
    const isBefore = judged ? answered.n < judged.n : answered.at <= at;
    return isBefore && at < since + grace_ms ? [`push of ${since} was answered before`] : [];
  });
}

/** Times away that were over before it was judged, and leave no whole grace until then. */
function unwatched({ away }: History, { at, grace_ms, judged }: Silence): string[] {
  return away.flatMap(({ from, to }) => {
    const isBefore = judged ? to < judged.at - UNDER_WAY_MS || to <= judged.began_at : from < at;
    return isBefore && at < to + grace_ms ? [`nobody watched until ${to}`] : [];
  });
}

/** It is judged for the settings that stand, for time in which the account was enabled, and after its deadline. */
function checkDeadlines({ silences, results }: History, inside: Inside): string[] {
  const { seen, profile } = inside;
  const wrong: string[] = [];
  for (const { check_id, at, grace_ms: grace, judged } of silences) {
    const { check, ...commit } = judged!;
    const say = (text: string) => wrong.push(`silence of ${check_id} at ${at}, commit ${commit.n}: ${text}`);
    if (at < check.settings_at + grace) say(`settings changed at ${check.settings_at}`);
    if (at > commit.at + skewOf(inside)) say('before its time');
    for (const { to } of seen.stops) {
      if (to < commit.at - UNDER_WAY_MS && at < to + grace) say(`the account was disabled until ${to}`);
    }
    const known = receivedOf(results, check_id, commit.n);
    if (known.length === 0) say('before any push');
    // A push that arrives between the look and the commit is judged after it.
    const looked = known.filter((received_at) => received_at < commit.at - 200);
    const enabled = Math.max(0, ...seen.stops.filter(({ over }) => over <= commit.at).map((stop) => stop.enabled_at));
    if (profile.quiet) checkTime(check, { at, now: commit.at, enabled }, looked, say);
  }
  return wrong;
}

/** When the pushes that count were received, up to a commit. */
const receivedOf = (results: History['results'], check_id: string, until = Number.POSITIVE_INFINITY): number[] =>
  results
    .filter((one) => one.check_id === check_id && !one.history && one.n <= until)
    .map(({ received_at }) => received_at!);

/** When nothing fails: on the dot, one each interval. */
function checkTime(
  check: CheckItem,
  { at, now, enabled }: { at: number; now: number; enabled: number },
  known: number[],
  say: (text: string) => void,
): void {
  const last = Math.max(check.settings_at, enabled, ...known);
  const goesOn = check.silence_at !== undefined && check.silence_at > last;
  const due = goesOn ? check.silence_at! + check.interval_seconds * 1000 : last + graceOf(check);
  if (due < enabled + TICK_MS) {
    // The deadlines of an account that was enabled come with the next tick.
    const slept = (at - due) % (check.interval_seconds * 1000);
    if (slept !== 0 || at < due || now > enabled + TICK_MS + QUIET_MARGIN_MS)
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
    const known = receivedOf(results, check.id);
    if (!check.enabled || known.length === 0) return [];
    const ends = [...away.map(({ to }) => to), ...seen.stops.map((stop) => stop.enabled_at)];
    const since = Math.max(check.settings_at, ...known, ...ends);
    const due =
      check.silence_at === undefined ? since + graceOf(check) : check.silence_at + check.interval_seconds * 1000;
    return end > due + margin ? [`silence of ${check.id} was due at ${due} and never judged`] : [];
  });
}
