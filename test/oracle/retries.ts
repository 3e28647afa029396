import type { CheckItem } from '#lib/checks/check-item.ts';
import { type Commit, changesIn, checkIdOf, type Inside, isCheckKey, type ProbeSeen, type Seen } from './inside.ts';
import { probeResults, type StoredRun } from './outcomes.ts';
import { isDiscarded, isOfNeighbor, NEAR_PROBE_MS, retriesOf, targetOf } from './rules.ts';
import { isUnconfirmed } from './state-counters.ts';

/**
 * Maximum time from the commit that leaves a check unconfirmed until its process schedules the next retry, and from the
 * response to a retry until its evaluation (ms).
 */
const SCHEDULED_MS = 100;

/**
 * Promise: only an unconfirmed check is probed between its slots, at times that follow from its slot and settings. The
 * result is applied in the transaction that stores it, and before any result of the next slot. Without faults, an
 * unconfirmed check is probed at its next retry.
 */
export function checkRetries(inside: Inside): string[] {
  const { seen, profile } = inside;
  const wrong: string[] = [];
  const stored = [...probeResults(seen)].filter(({ unscheduled }) => unscheduled === 'retry');
  for (const { commit, key, check, at, record_only } of stored) {
    const say = (text: string) => wrong.push(`commit ${commit.n}: the retry ${key.sk} of ${check.id} ${text}`);
    const applied = commit.changes.find((one) => isCheckKey(one.key) && checkIdOf(one.key) === check.id);
    if (!applied || record_only) say('was not applied');
    else if (!isUnconfirmed(applied.before as CheckItem)) say('was applied although the check was confirmed');
    if (!retriesOf(check, at).retries.includes(at)) say('is not a retry of its slot');
  }
  return [...wrong, ...checkOrder(seen), ...(profile.quiet ? checkMade(inside, stored) : [])];
}

/** After a slot was applied, no retry of the previous slot is applied. */
function checkOrder(seen: Seen): string[] {
  const wrong: string[] = [];
  const latest = new Map<string, number>();
  for (const { commit, check, at, single, unscheduled, record_only, rev } of probeResults(seen)) {
    if (!single || record_only) continue;
    const of = `${check.id} ${rev}`;
    const last = latest.get(of) ?? 0;
    if (unscheduled === 'retry' && last >= retriesOf(check, at).next)
      wrong.push(`commit ${commit.n}: the retry of check ${check.id} at ${at} was applied after slot ${last}`);
    if (!unscheduled) latest.set(of, Math.max(last, at));
  }
  return wrong;
}

/** An unconfirmed check is probed at the next retry, unless another result confirms it or something prevents that. */
function checkMade({ seen, end }: Inside, stored: StoredRun[]): string[] {
  const made = new Set(stored.map(({ check, at }) => `${check.id} ${at}`));
  const versions = Map.groupBy(
    changesIn(seen).filter(({ key }) => isCheckKey(key)),
    ({ key }) => checkIdOf(key),
  );
  return [...versions].flatMap(([id, list]) =>
    list.flatMap(({ after, commit }, i) => {
      const check = after as CheckItem | undefined;
      if (!check || !isUnconfirmed(check) || !hasResult(commit, id)) return [];
      const { retries, next } = retriesOf(check, commit.at);
      const at = retries.find((one) => one > commit.at);
      if (at === undefined || at < commit.at + SCHEDULED_MS || next > end || made.has(`${id} ${at}`)) return [];
      const isOvertaken = list.slice(i + 1).some((later) => {
        const other = later.after as CheckItem | undefined;
        return later.commit.at < next && (!other || other.rev !== check.rev || !isUnconfirmed(other));
      });
      return isOvertaken || isExcused(seen, check, at, next)
        ? []
        : [`${id}: no retry at ${at}, although it was unconfirmed`];
    }),
  );
}

/** Whether a commit stores a result of a check. */
const hasResult = ({ changes }: Commit, id: string): boolean =>
  changes.some(({ key }) => key.sk.startsWith('R#') && checkIdOf(key) === id);

/**
 * Whether a retry can have no result: its target did not respond or its outcome was discarded, or it responded when the
 * next slot was due, or the account was disabled.
 */
function isExcused(seen: Seen, check: CheckItem, at: number, next: number): boolean {
  const host = targetOf(check);
  if (isOfNeighbor(host)) return true;
  if (seen.stops.some(({ from, over }) => from <= next && over >= at)) return true;
  const until = retriesOf(check, at).retries.find((one) => one > at) ?? next;
  const isTooLate = (probe: ProbeSeen) =>
    probe.at >= at && probe.at < until && (probe.ended_at ?? next) > next - SCHEDULED_MS;
  return seen.probes.some(
    (probe) =>
      probe.host === host &&
      probe.at >= at - NEAR_PROBE_MS &&
      probe.at < next &&
      (probe.isUnanswered || isDiscarded(seen, probe, NEAR_PROBE_MS) || isTooLate(probe)),
  );
}
