import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/health/history/result-item.ts';
import { resultRecord } from '#lib/health/history/result-item.ts';
import { type Commit, changesIn, type Inside } from './inside.ts';
import { isChanged } from './rules.ts';

/** A probe reads its check at most so long before it notes its beginning (ms). */
const READ_BEFORE_MS = 10_000;

/**
 * A result that was stored without judging must have had nothing to change: a probe in the time from its reading to
 * its storing, a push in the time from its request to its answer.
 */
export function checkQuietResults({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const checks = changesIn(seen).filter(({ key }) => key.sk === 'CHECK');
  const versions = Map.groupBy(checks, ({ key }) => key.pk);
  const quiet = new Map<string, { n: number; at: number; result: ResultItem }>();
  for (const { key, after, commit } of changesIn(seen)) {
    if (!key.sk.startsWith('R#') || !after) continue;
    const result = after as ResultItem;
    const { id } = resultRecord('', result);
    const isJudged = commit.changes.some((one) => one.key.sk === 'CHECK' && one.key.pk === key.pk);
    if (isJudged || result.history) quiet.delete(id);
    else quiet.set(id, { n: commit.n, at: commit.at, result });
  }

  /** The versions that the check had from `from` on until `to`. */
  const between = (pk: string, isFrom: (version: Commit) => boolean, to: number): CheckItem[] => {
    const list = versions.get(pk) ?? [];
    const before = list.findLastIndex(({ commit }) => !isFrom(commit));
    return list
      .slice(Math.max(0, before))
      .flatMap(({ commit, after }) => (commit.n <= to && after ? [after as CheckItem] : []));
  };

  for (const [id, { n, at, result }] of quiet) {
    if (result.received_at !== undefined) continue;
    const begun = Date.parse(result.checked_at) - READ_BEFORE_MS;
    const had = between(result.pk, (version) => version.at >= begun, n);
    if (!had.some((check) => !isChanged(check, result.success)))
      wrong.push(`probe result ${id} of ${at} was not judged`);
  }

  const first = new Map<string, number>();
  for (const one of seen.pushes) {
    const id = one.answered?.result_id;
    if (id) first.set(id, Math.min(first.get(id) ?? one.started_n, one.started_n));
  }
  for (const one of seen.pushes) {
    const stored = one.answered?.result_id && quiet.get(one.answered.result_id);
    if (!stored || one.answered!.status !== 201) continue;
    // Whoever stored it has looked at the check once more since then; a repeat only repeats what the first saw.
    const own = stored.n > one.started_n && !one.replayed;
    const from = own ? stored.n : Math.min(first.get(one.answered!.result_id!)!, stored.n);
    const had = between(stored.result.pk, (version) => version.n > from, one.answered!.n);
    const isQuiet = (check: CheckItem) =>
      !check.enabled ||
      (!isChanged(check, stored.result.success) && (!own || (!check.silence_at && !check.silence_mark)));
    const deleted = !seen.table.has(`${stored.result.pk}|CHECK`);
    if (!deleted && !had.some(isQuiet))
      wrong.push(`push ${one.push} (${one.answered!.result_id}) was answered and not judged`);
  }
  return wrong;
}
