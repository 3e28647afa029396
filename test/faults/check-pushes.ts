import type { ResultItem } from '#lib/health/history/result-item.ts';
import { resultRecord } from '#lib/health/history/result-view.ts';
import type { Observations } from './observations.ts';
import type { Run } from './simulate.ts';

/** What was answered is there, unchanged; what was sent again counted once. */
export function checkPushes({ seen }: Run): string[] {
  const wrong = checkFullDisk(seen);
  const stored = new Map<string, { n: number; result: ResultItem }>();
  const byPush = new Map<string, Set<string>>();
  for (const { n, changes } of seen.commits) {
    for (const { key, after } of changes) {
      if (!after || !key.sk.startsWith('R#')) continue;
      const result = after as ResultItem;
      if (result.received_at === undefined) continue;
      const { id } = resultRecord('', result);
      if (!stored.has(id)) stored.set(id, { n, result });
      if (result.latency_ms > 0) {
        const of = `${key.pk} ${result.latency_ms}`;
        byPush.set(of, (byPush.get(of) ?? new Set()).add(id));
      }
    }
    for (const { key, after } of changes) {
      if (!after && key.sk.startsWith('R#')) wrong.push(`result ${key.sk} was removed`);
    }
  }

  const answers = Map.groupBy(seen.pushes, (one) => one.push);
  for (const [push, attempts] of answers) {
    const ids = new Set(attempts.flatMap((one) => (one.answered?.result_id ? [one.answered.result_id] : [])));
    const { identified } = attempts[0]!;
    if (identified && ids.size > 1) wrong.push(`push ${push} was answered with ${ids.size} results`);
    for (const { answered, body, started_at } of attempts) {
      if (!answered) continue;
      if (answered.status !== 201) {
        const wasStopped = seen.stops.some(({ from, over }) => started_at <= over && answered.at >= from);
        const mayRefuse = answered.status === 404 || (answered.status === 403 && wasStopped);
        if (answered.status !== 503 && !mayRefuse) wrong.push(`push ${push} was answered ${answered.status}`);
        continue;
      }
      const found = stored.get(answered.result_id!);
      if (!found || found.n > answered.n) wrong.push(`push ${push} was answered before it was stored`);
      else if (body && (found.result.success !== body.success || found.result.latency_ms !== body.latency_ms))
        wrong.push(`push ${push} was answered with another one's result`);
      else if (!seen.table.has(`${found.result.pk}|${found.result.sk}`)) wrong.push(`push ${push} was lost`);
    }
  }
  for (const [of, ids] of byPush) {
    const attempts = answers.get(Number(of.split(' ')[1])) ?? [];
    const most = attempts[0]?.identified ? 1 : attempts.length;
    if (ids.size > most) wrong.push(`push ${of} became ${ids.size} results`);
  }
  return wrong;
}

/** While the disk is full nothing is stored, and whoever pushes is told so: 503, or the record of an earlier push. */
function checkFullDisk({ storeSpells, pushes, commits }: Observations): string[] {
  const wrong: string[] = [];
  for (const { from, to } of storeSpells.filter(({ kind }) => kind === 'disk full')) {
    const isIn = (at: number): boolean => at > from && at < to;
    for (const { n, at } of commits) if (isIn(at)) wrong.push(`commit ${n} at ${at} was made on a full disk`);
    const first = commits.findLast(({ at }) => at <= from)?.n ?? 0;
    for (const { push, started_at, answered, replayed } of pushes) {
      if (!answered || !isIn(started_at) || !isIn(answered.at) || replayed) continue;
      const isEarlier = pushes.some((one) => one.push === push && one.started_n < first);
      if (answered.status < 400 && !isEarlier)
        wrong.push(`push ${push} was answered ${answered.status} on a full disk`);
    }
  }
  return wrong;
}
