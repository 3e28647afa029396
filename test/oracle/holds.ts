import type { DeadlineEntry } from '#lib/alerting/decide/notes.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import { ancestryIn } from './ancestry.ts';
import { graceOf } from './deadlines.ts';
import { holdIn } from './holds-seen.ts';
import { accountsSeen, inForce, momentsBefore } from './in-force.ts';
import { checksIn, type Inside, keyText } from './inside.ts';
import { skewOf } from './rules.ts';

/** So long (ms) after its deadline a held alert may wait for the schedule, or to be tried again. */
const SLACK_MS = 10 * 60_000;
/** Once nothing explains a failure any more, this is found at the next look (ms) at the latest. */
const LOOK_MS = 300_000;
/** However short its intervals are, a check has so long (ms) to recover after its cause. */
const MIN_SETTLING_MS = 60_000;
/** However many causes recover one after the other, it is judged so soon (ms) after the first, by its next run. */
const MAX_SETTLING_MS = 600_000;
/** For messages, reads and writes (ms). */
const SPARE_MS = 60_000;

/**
 * No alert stays held: each that is held at the end belongs to the last change of a check, and a deadline looks at it,
 * which has not passed long ago where nothing fails, and never lies far ahead. One that waits for its cause is decided
 * once that has been over for as long as the check has to recover too, not counting windows and silences.
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
      if (one !== last) wrong.push(`${one.transition_id} is held, but its check has changed since`);
      else if (held?.transition_sk !== one.sk) wrong.push(`${one.transition_id} is held, and no deadline looks at it`);
    }
    if (!entry) continue;
    if (profile.quiet && entry.deadline < end - SLACK_MS)
      wrong.push(`${last.transition_id} was to be looked at long ago`);
    // Some were told, and others wait on; or it is an alert that a cooldown had put off.
    const waitsOn = held?.reason === 'dependency' && held.transition_sk === last.sk && last.check_to_state === 'down';
    if (last.alert.decision !== 'held' && !waitsOn) wrong.push(`${id} has a deadline of an alert that is not held`);
  }
  return wrong;
}

function checkReleased(inside: Inside): string[] {
  const { seen, keys, calmFrom, end, profile } = inside;
  const ancestry = ancestryIn(inside);
  const skew = skewOf(inside);
  const begun = new Map<string, number>();
  const wrong: string[] = [];
  // Nothing of ours fails from there on; time that nobody watched counts as none.
  const watched = Math.max(profile.quiet ? 0 : calmFrom, ...seen.stops.map(({ over }) => over));
  const judge = (check: CheckItem | undefined, from: number, until: number): void => {
    if (!check) return;
    const over = Math.max(from, watched, ancestry.troubledUntil(check.entity_id, from, until));
    const due = over + LOOK_MS + settlingOf(check) + SPARE_MS;
    if (until > due)
      wrong.push(`${check.id}: its alert is held from ${from} to ${until}, though all is well since ${over}`);
  };
  const checks = new Map<string, CheckItem>();
  const accounts = accountsSeen();
  const table = new Map<string, Item>();
  /** A window or a silence holds it back from those who were not told yet. */
  const isHeldBack = (check: CheckItem, at: number): boolean =>
    accounts
      .of(check.tenant_id, at)
      .flatMap((account) => momentsBefore(at).map((moment) => inForce(table, account, keys, check, moment)))
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
      const isSought = hold.after?.note?.held?.reason === 'dependency';
      const known = checks.get(hold.check_id);
      const latest = commit.at + MAX_SETTLING_MS + (known ? settlingOf(known) : 0) + skew;
      if (isSought && hold.after!.deadline > latest)
        wrong.push(`${hold.check_id}: at ${commit.at} its held alert is left until ${hold.after!.deadline}`);
      const from = begun.get(hold.check_id);
      if (isSought && (from === undefined || (known && isHeldBack(known, commit.at))))
        begun.set(hold.check_id, commit.at);
      if (isSought || from === undefined) continue;
      begun.delete(hold.check_id);
      judge(checks.get(hold.check_id), from, commit.at);
    }
  }
  const left = new Map(checksIn(seen).map((check) => [check.id, check]));
  for (const [id, from] of begun) judge(left.get(id), from, end);
  return wrong;
}

/** How long a check takes to find out that all is well again, and to be judged by its next run. */
function settlingOf(check: CheckItem): number {
  if (check.execution_mode === 'push') return Math.max(MIN_SETTLING_MS, graceOf(check));
  const { interval_seconds, timeout_ms, failure_threshold, recovery_threshold } = check;
  const runs = Math.max(failure_threshold, recovery_threshold);
  const interval = interval_seconds * 1000;
  return Math.max(MIN_SETTLING_MS, runs * interval + timeout_ms) + interval + timeout_ms;
}
