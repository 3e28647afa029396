import type { PingItem } from '#lib/results/pings/ping-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { checkIdOf, checksIn, type Inside, type Seen } from './inside.ts';

/** Clocks of the service differ by less (ms). */
const SLACK_MS = 10_000;

/**
 * A ping that was answered 2xx is kept. Of a slug there is one check, however many make it at once. A run whose end was
 * answered is not open. An address that was replaced takes no ping after its end.
 */
export function checkPings({ seen, profile }: Inside): string[] {
  const wrong: string[] = [];
  const kept = keptIn(seen);
  for (const { slug, kind, rid, answered, started_at, dead_since } of seen.pings) {
    if (!answered || answered.status >= 300) continue;
    const what = `the ping ${kind} ${rid ?? ''} of ${slug}`;
    if (dead_since !== undefined && started_at > dead_since + SLACK_MS + profile.jumpMs)
      wrong.push(`${what} was taken at an address that had ended ${started_at - dead_since} ms before`);
    if (rid !== undefined && !kept.has(`${kind} ${rid}`)) wrong.push(`${what} was answered and is lost`);
  }
  const slugs = checksIn(seen).flatMap(({ slug }) => slug ?? []);
  for (const slug of new Set(slugs)) {
    const count = slugs.filter((one) => one === slug).length;
    if (count > 1) wrong.push(`there are ${count} checks with the slug ${slug}`);
  }
  return [...wrong, ...openAfterTheirEnd(seen)];
}

/** What each ping that is stored says, also of checks that are gone. */
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
 * Of runs whose starts had all been answered, so that none could come behind the end. An end by a slug that somebody
 * has taken away meanwhile is that of another check.
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
      return isEnded ? [`the run ${rid} of ${checkIdOf(check)} was ended and is open`] : [];
    }),
  );
}

/** Which ends of runs are stored, each by check and run. */
function endsIn({ table }: Pick<Seen, 'table'>): Set<string> {
  const ends = new Set<string>();
  for (const item of table.values()) {
    const { ping } = item as Partial<ResultItem>;
    if (item.sk.startsWith('R#') && ping?.rid !== undefined) ends.add(`${checkIdOf(item)} ${ping.rid}`);
  }
  return ends;
}
