import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { type Commit, changesIn, checkIdOf, type Inside, isCheckKey, type Seen } from './inside.ts';
import { probeResults } from './outcomes.ts';
import { isOfNeighbor, targetOf } from './rules.ts';
import { isChanged, outcomeOf } from './state-counters.ts';

/** Maximum time from the read of a check to the recorded start of its probe (ms). */
const READ_BEFORE_MS = 10_000;
/**
 * Maximum time from the end of a probe to the storing of its outcome without faults (ms): a quiet result waits for
 * others.
 */
const STORED_MS = { applied: 1_000, quiet: 3_000 };

/**
 * Promise: a result that was stored without being applied would not have changed its check, in at least one version of
 * the check: for a probe, a version from the read of the check to the storing of the result; for a push, a version from
 * the request to the response. A result that changes its check does not wait.
 */
export function checkQuietResults(inside: Inside): string[] {
  const { seen } = inside;
  const versionsOf = versionsIn(seen);
  return [...checkProbed(seen, versionsOf), ...checkPushed(seen, versionsOf), ...checkWaiting(inside)];
}

type Versions = (id: string, isFrom: (version: Commit) => boolean, to: number) => CheckItem[];

/**
 * Returns a function for the versions of a check: the one before the first commit that `isFrom` accepts, and all from
 * there to the commit `to`.
 */
function versionsIn(seen: Seen): Versions {
  const checks = changesIn(seen).filter(({ key }) => isCheckKey(key));
  const versions = Map.groupBy(checks, ({ key }) => checkIdOf(key));
  return (id, isFrom, to) => {
    const list = versions.get(id) ?? [];
    const before = list.findLastIndex(({ commit }) => !isFrom(commit));
    return list
      .slice(Math.max(0, before))
      .flatMap(({ commit, after }) => (commit.n <= to && after ? [after as CheckItem] : []));
  };
}

const isAppliedIn = ({ changes }: Commit, id: string): boolean =>
  changes.some(({ key }) => isCheckKey(key) && checkIdOf(key) === id);

function checkProbed(seen: Seen, versionsOf: Versions): string[] {
  const wrong: string[] = [];
  for (const { commit, check, at, begun, outcome, record_only, single } of probeResults(seen)) {
    if (record_only || (single && isAppliedIn(commit, check.id))) continue;
    const had = versionsOf(check.id, (version) => version.at >= begun - READ_BEFORE_MS, commit.n);
    if (!had.some((version) => !isChanged(version, outcome)))
      wrong.push(`${check.id}: the probe of slot ${at}, stored at ${commit.at}, was not applied`);
  }
  return wrong;
}

/** Without faults: the outcome of a probe is stored at its end or shortly after. */
function checkWaiting({ seen, profile }: Inside): string[] {
  if (!profile.quiet) return [];
  const wrong: string[] = [];
  const probes = Map.groupBy(seen.probes, ({ run, host }) => `${run} ${host}`);
  for (const { commit, check, at, single } of probeResults(seen)) {
    const host = targetOf(check);
    // If two checks share a host, the probe of either can end last.
    const last = probes
      .get(`${commit.run} ${host}`)
      ?.filter(({ ended_at = Infinity }) => ended_at <= commit.at)
      .sort((a, b) => a.ended_at! - b.ended_at!)
      .at(-1);
    // A probe without a response waits for the evidence of others.
    if (!last || last.isUnanswered || isOfNeighbor(host)) continue;
    const waited = commit.at - last.ended_at!;
    if (waited > (single ? STORED_MS.applied : STORED_MS.quiet))
      wrong.push(`${check.id}: the outcome of slot ${at} was stored ${waited} ms after its probe had ended`);
  }
  return wrong;
}

function checkPushed(seen: Seen, versionsOf: Versions): string[] {
  const wrong: string[] = [];
  const quiet = new Map<string, { n: number; check_id: string; result: ResultItem }>();
  for (const { key, after, commit } of changesIn(seen)) {
    const result = after as ResultItem | undefined;
    if (!key.sk.startsWith('R#') || result?.received_at === undefined) continue;
    const check_id = checkIdOf(key);
    const { id } = resultRecord(check_id, result);
    if (isAppliedIn(commit, check_id) || result.record_only) quiet.delete(id);
    else quiet.set(id, { n: commit.n, check_id, result });
  }
  const first = new Map<string, number>();
  for (const one of seen.pushes) {
    const name = `${one.check_id} ${one.push}`;
    first.set(name, Math.min(first.get(name) ?? one.started_n, one.started_n));
  }
  const existing = new Set([...seen.table.values()].filter(isCheckKey).map(checkIdOf));
  for (const one of seen.pushes) {
    const stored = one.answered?.result_id && quiet.get(one.answered.result_id);
    if (!stored || one.answered!.status !== 201) continue;
    // A request that stores its result then reads the check again; a repeated one uses the read of the first.
    const own = stored.n > one.started_n && !one.replayed;
    const from = own ? stored.n : Math.min(first.get(`${one.check_id} ${one.push}`)!, stored.n);
    const had = versionsOf(stored.check_id, (version) => version.n > from, one.answered!.n);
    const isQuiet = (check: CheckItem) =>
      !check.enabled ||
      (!isChanged(check, outcomeOf(stored.result)) && (!own || (!check.missed_at && !check.missed_mark)));
    if (existing.has(stored.check_id) && !had.some(isQuiet))
      wrong.push(`push ${one.push} (${one.answered!.result_id}) was acknowledged but not applied`);
  }
  return wrong;
}
