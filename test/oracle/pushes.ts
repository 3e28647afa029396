import type { History, PushAttempt, PushResult } from './history.ts';

/** A push that was answered is stored as it was answered; one that was sent again counts once, and none is made up. */
export function checkPushes(history: History): string[] {
  const wrong: string[] = [];
  const attempts = Map.groupBy(history.pushes, ({ push }) => push);
  const stored = new Map(history.results.map((one) => [one.id, one]));
  for (const same of attempts.values()) wrong.push(...checkAnswers(history, same, stored));
  if (stored.size < history.results.length) wrong.push('a result stands there twice');
  // Heartbeats carry no mark: a check has at most as many as were sent.
  const sent = Map.groupBy(history.pushes, ({ body, push, check_id }) => (body ? push : check_id));
  const pushed = history.results.filter((one) => !one.is_ping);
  for (const [mark, same] of Map.groupBy(pushed, (one) => one.mark || one.check_id)) {
    const most = new Set(sent.get(mark)?.map(({ identified, push }, i) => (identified ? push : i))).size;
    if (same.length > most) wrong.push(`"${mark}" became ${same.length} results, ${most} is the most`);
  }
  return wrong;
}

function checkAnswers(
  { asked_at, inside }: History,
  attempts: PushAttempt[],
  stored: Map<string, PushResult>,
): string[] {
  const wrong: string[] = [];
  const { push, identified } = attempts[0]!;
  const ids = new Set(attempts.flatMap(({ answered }) => answered?.result_id ?? []));
  if (identified && ids.size > 1) wrong.push(`push "${push}" was answered with ${ids.size} results`);
  for (const { answered, body, started_at } of attempts) {
    if (!answered || answered.at > asked_at) continue;
    if (answered.status !== 201) {
      const wasStopped = inside?.seen.stops.some(({ from, over }) => started_at <= over && answered.at >= from);
      const mayRefuse = answered.status === 404 || (answered.status === 403 && wasStopped);
      if (answered.status !== 503 && !mayRefuse) wrong.push(`push "${push}" was answered ${answered.status}`);
      continue;
    }
    const found = stored.get(answered.result_id!);
    if (!found || found.n > answered.n) wrong.push(`push "${push}" was answered and is not stored`);
    else if (!found.kept) wrong.push(`push "${push}" was lost`);
    else if (!isIn(body ?? {}, found.record) || !isIn(answered.record ?? {}, found.record))
      wrong.push(`push "${push}" was answered ${answered.result_id}, which is ${JSON.stringify(found.record)}`);
  }
  return wrong;
}

const isIn = (part: object, all: Record<string, unknown>): boolean =>
  Object.entries(part).every(([member, value]) => all[member] === value);
