import type { Inside } from './inside.ts';

/** Promise: while the disk is full nothing is stored. A push returns 503, or the record of its earlier attempt. */
export function checkFullDisk({ seen: { storeSpells, pushes, commits } }: Inside): string[] {
  const wrong: string[] = [];
  for (const { from, to } of storeSpells.filter(({ kind }) => kind === 'disk full')) {
    const isIn = (at: number): boolean => at > from && at < to;
    for (const { n, at } of commits) if (isIn(at)) wrong.push(`commit ${n} at ${at} was written to a full disk`);
    const first = commits.findLast(({ at }) => at <= from)?.n ?? 0;
    for (const { push, started_at, answered, replayed } of pushes) {
      if (!answered || !isIn(started_at) || !isIn(answered.at) || replayed) continue;
      const isEarlier = pushes.some((one) => one.push === push && one.started_n < first);
      if (answered.status < 400 && !isEarlier)
        wrong.push(`push ${push} returned ${answered.status} while the disk was full`);
    }
  }
  return wrong;
}
