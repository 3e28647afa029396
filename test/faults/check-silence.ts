import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { resultRecord } from '#lib/health/history/result-view.ts';
import { skewOf } from './check-slots.ts';
import { graceOf } from './rules.ts';
import type { Run } from './simulate.ts';

/** A silence is judged within 15 s when nothing of ours fails (docs/CONTRACT.md#silence). */
const QUIET_MARGIN_MS = 15_000;
/** A deadline that a fault has lost comes again with a tick, at most two minutes later. */
const CALM_MARGIN_MS = 130_000;
/** A judgement that was under way when an outage was noted may not have seen it. */
const UNDER_WAY_MS = 12_000;

/** From one tick to the next, if none fails (ms). */
const TICK_MS = 63_000;

type Push = { n: number; received_at: number };

/** The dead man's switch: never against a push that was answered, never for time that nobody watched, and in time. */
export function checkSilence(run: Run): string[] {
  const { seen, profile } = run;
  const wrong: string[] = [];
  const pushes = new Map<string, Push[]>();
  const answered = answersOf(run);

  for (const commit of seen.commits) {
    for (const { key, before, after } of commit.changes) {
      if (!key.sk.startsWith('R#') || !after) continue;
      const result = after as ResultItem;
      if (result.received_at !== undefined) {
        if (before || result.history) continue;
        const list = pushes.get(key.pk) ?? [];
        pushes.set(key.pk, list);
        list.push({ n: commit.n, received_at: result.received_at });
      } else if (result.error_kind === 'silence') {
        const check = commit.changes.find((one) => one.key.pk === key.pk && one.key.sk === 'CHECK')
          ?.before as CheckItem;
        const at = Number(key.sk.slice(2, 15));
        const say = (text: string) =>
          wrong.push(`silence of ${check.id} at ${at}, commit ${commit.n} at ${commit.at}: ${text}`);
        const grace = graceOf(check);
        for (const push of answered.get(key.pk) ?? []) {
          if (push.n < commit.n && at < push.received_at + grace)
            say(`push of ${push.received_at} was answered before`);
        }
        if (at < check.settings_at + grace) say(`settings changed at ${check.settings_at}`);
        if (at > commit.at + skewOf(run)) say('before its time');
        const begun = seen.runs.get(commit.run ?? 0)?.began_at ?? 0;
        for (const { to } of seen.outages) {
          if ((to < commit.at - UNDER_WAY_MS || to <= begun) && at < to + grace) say(`nobody watched until ${to}`);
        }
        for (const { to } of seen.stops) {
          if (to < commit.at - UNDER_WAY_MS && at < to + grace) say(`the account was disabled until ${to}`);
        }
        const known = pushes.get(key.pk) ?? [];
        if (known.length === 0) say('before any push');
        // A push that arrives between the look and the commit is judged after it.
        const looked = known.filter((push) => push.received_at < commit.at - 200);
        const enabled = Math.max(
          0,
          ...seen.stops.filter(({ over }) => over <= commit.at).map((stop) => stop.enabled_at),
        );
        if (profile.quiet) checkTime(check, { at, now: commit.at, enabled }, looked, say);
      }
    }
  }
  return [...wrong, ...checkEnd(run, pushes)];
}

/** When nothing fails: on the dot, one each interval. */
function checkTime(
  check: CheckItem,
  { at, now, enabled }: { at: number; now: number; enabled: number },
  known: Push[],
  say: (text: string) => void,
): void {
  const last = Math.max(check.settings_at, enabled, ...known.map((push) => push.received_at));
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
function checkEnd({ seen, profile, end }: Run, pushes: Map<string, Push[]>): string[] {
  const margin = profile.quiet ? QUIET_MARGIN_MS : CALM_MARGIN_MS;
  return [...seen.table.values()].flatMap((item) => {
    if (item.sk !== 'CHECK') return [];
    const check = item as CheckItem;
    const known = pushes.get(check.pk);
    if (!check.enabled || !known) return [];
    const since = Math.max(
      check.settings_at,
      ...known.map((push) => push.received_at),
      ...seen.outages.map((outage) => outage.to),
      ...seen.stops.map((stop) => stop.enabled_at),
    );
    const due =
      check.silence_at === undefined ? since + graceOf(check) : check.silence_at + check.interval_seconds * 1000;
    return end > due + margin ? [`silence of ${check.id} was due at ${due} and never judged`] : [];
  });
}

/** Pushes that were answered 201, by the key of their check; `n` is when the answer arrived. */
function answersOf({ seen }: Run): Map<string, Push[]> {
  const stored = new Map<string, ResultItem>();
  for (const { changes } of seen.commits) {
    for (const { key, after } of changes) {
      const result = after as ResultItem | undefined;
      if (result?.received_at !== undefined && key.sk.startsWith('R#') && !result.history)
        stored.set(resultRecord('', result).id, result);
    }
  }
  const answers = new Map<string, Push[]>();
  for (const { answered } of seen.pushes) {
    const result = answered?.status === 201 && answered.result_id ? stored.get(answered.result_id) : undefined;
    if (!result) continue;
    const list = answers.get(result.pk) ?? [];
    answers.set(result.pk, list);
    list.push({ n: answered!.n, received_at: result.received_at! });
  }
  return answers;
}
