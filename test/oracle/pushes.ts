import type { History, PushAttempt, PushResult } from './history.ts';

/** Promise: an acknowledged push is stored as returned; a repeated one counts once, and no result is invented. */
export function checkPushes(history: History): string[] {
  const wrong: string[] = [];
  const attempts = Map.groupBy(history.pushes, ({ push }) => push);
  const stored = new Map(history.results.map((one) => [one.id, one]));
  for (const same of attempts.values()) wrong.push(...checkAnswers(history, same, stored));
  if (stored.size < history.results.length) wrong.push('a result is stored twice');
  // Heartbeats have no mark: a check has at most as many as were sent.
  const sent = Map.groupBy(history.pushes, ({ body, push, check_id }) => (body ? push : check_id));
  const pushed = history.results.filter((one) => !one.is_ping);
  for (const [mark, same] of Map.groupBy(pushed, (one) => one.mark || one.check_id)) {
    const most = new Set(sent.get(mark)?.map(({ identified, push }, i) => (identified ? push : i))).size;
    if (same.length > most) wrong.push(`push "${mark}" became ${same.length} results, at most ${most} are allowed`);
  }
  return wrong;
}

function checkAnswers(
  { read_at, inside }: History,
  attempts: PushAttempt[],
  stored: Map<string, PushResult>,
): string[] {
  const wrong: string[] = [];
  const { push, identified } = attempts[0]!;
  const ids = new Set(attempts.flatMap(({ answered }) => answered?.result_id ?? []));
  if (identified && ids.size > 1) wrong.push(`push "${push}" returned ${ids.size} different results`);
  for (const { answered, body, started_at } of attempts) {
    if (!answered || answered.at > read_at) continue;
    if (answered.status !== 201) {
      const wasStopped = inside?.seen.stops.some(({ from, over }) => started_at <= over && answered.at >= from);
      const mayRefuse = answered.status === 404 || (answered.status === 403 && wasStopped);
      if (answered.status !== 503 && !mayRefuse) wrong.push(`push "${push}" returned ${answered.status}`);
      continue;
    }
    const found = stored.get(answered.result_id!);
    if (!found || found.n > answered.n) wrong.push(`push "${push}" was acknowledged but is not stored`);
    else if (!found.kept) wrong.push(`push "${push}" was lost`);
    else if (!isIn(body ?? {}, found.record) || !isIn(answered.record ?? {}, found.record))
      wrong.push(
        `push "${push}" returned result ${answered.result_id}, which is stored as ${JSON.stringify(found.record)}`,
      );
  }
  return wrong;
}

const isIn = (part: object, all: Record<string, unknown>): boolean =>
  Object.entries(part).every(([member, value]) => all[member] === value);
