import type { PingItem } from '#lib/results/pings/ping-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { checkIdOf, checksIn, type Inside, type Seen } from './inside.ts';

/** Upper bound for the difference between clocks of the service (ms). */
const SLACK_MS = 10_000;

/**
 * Promise: a ping with a 2xx response is stored. A slug has one check, even for concurrent creation. A job run whose
 * end was acknowledged is not open. A replaced URL accepts no ping after its end.
 */
export function checkPings({ seen, profile }: Inside): string[] {
  const wrong: string[] = [];
  const kept = keptIn(seen);
  for (const { slug, kind, rid, answered, started_at, dead_since } of seen.pings) {
    if (!answered || answered.status >= 300) continue;
    const what = `the ping ${kind} ${rid ?? ''} of ${slug}`;
    if (dead_since !== undefined && started_at > dead_since + SLACK_MS + profile.jumpMs)
      wrong.push(`${what} was accepted at a URL that had ended ${started_at - dead_since} ms before`);
    if (rid !== undefined && !kept.has(`${kind} ${rid}`)) wrong.push(`${what} was acknowledged but is lost`);
  }
  const slugs = checksIn(seen).flatMap(({ slug }) => slug ?? []);
  for (const slug of new Set(slugs)) {
    const count = slugs.filter((one) => one === slug).length;
    if (count > 1) wrong.push(`there are ${count} checks with the slug ${slug}`);
  }
  return [...wrong, ...openAfterTheirEnd(seen)];
}

/** Returns the kind and rid of each stored ping, including pings of deleted checks. */
function keptIn({ table }: Seen): Set<string> {
  const kept = new Set<string>();
  for (const item of table.values()) {
    if (!item.sk.startsWith('R#') && !item.sk.startsWith('P#')) continue;
    const { ping } = item as PingItem | (ResultItem & { ping?: undefined });
    if (ping) kept.add(`${ping.kind} ${ping.rid}`);
  }
  return kept;
}

/**
 * Returns job runs that are open although they ended, as texts: all their starts were acknowledged before the end was
 * sent, so that none could follow it. If the slug was moved in between, the end belongs to another check.
 */
function openAfterTheirEnd({ pings, ...seen }: Seen): string[] {
  const byRid = Map.groupBy(pings, ({ rid }) => rid);
  const ended = endsIn(seen);
  return checksIn(seen).flatMap((check) =>
    (check.runs ?? []).flatMap(({ rid }) => {
      const own = ended.has(`${check.id} ${rid}`) ? (byRid.get(rid) ?? []) : [];
      const starts = own.filter(({ kind }) => kind === 'start');
      const begun = Math.max(...starts.map(({ answered }) => answered?.n ?? Number.POSITIVE_INFINITY));
      const isEnded = own.some(
        ({ kind, started_n, answered }) =>
          (kind === 'success' || kind === 'fail') &&
          started_n > begun &&
          answered !== undefined &&
          answered.status < 300,
      );
      return isEnded ? [`the job run ${rid} of check ${checkIdOf(check)} ended but is open`] : [];
    }),
  );
}

/** Returns the stored ends of job runs, by check and run. */
function endsIn({ table }: Pick<Seen, 'table'>): Set<string> {
  const ends = new Set<string>();
  for (const item of table.values()) {
    const { ping } = item as Partial<ResultItem>;
    if (item.sk.startsWith('R#') && ping?.rid !== undefined) ends.add(`${checkIdOf(item)} ${ping.rid}`);
  }
  return ends;
}
