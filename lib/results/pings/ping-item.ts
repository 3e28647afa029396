import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import {
  type PingBodyItem,
  type PingItem,
  type PingRecord,
  pingIdOf,
  pingRecord,
} from '#lib/health/pings/ping-item.ts';
import { PING_BODIES, PINGS, RESULTS } from '#lib/keys/prefixes.ts';
import { after as above, stamp, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { isId, timeOf } from '#lib/platform/ids.ts';
import { REDACTED } from '#lib/platform/secrets/redacted.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { ResultItem } from '#lib/results/result.ts';

/** Items that one request looks at: results that came by key lie between pings. */
const MOST_LOOKED_AT = 2000;

type Stored = PingItem | (ResultItem & { ping?: undefined }) | (ResultItem & Pick<PingItem, 'ping'>);

/**
 * Access pattern: pings of a check, newest first. Those that ended a run are among its results, the others beside them;
 * both are in the order of their arrival, so that a position among one is one among the other.
 */
export function pingList(context: Context, check: CheckItem): Reader<PingRecord> {
  const { ports, keys, tenant, caller } = context;
  const partition = keys.ofCheck(tenant, check.id);
  const from = stamp(retentionStart(ports.clock.now(), caller.retention_days));
  const shown = seesSecrets(caller) ? {} : { remote_addr: REDACTED };
  const page = (prefix: string, after: string | undefined, limit: number) =>
    ports.table.query<Stored>({
      partition,
      from: `${prefix}${from}`,
      to: above(prefix),
      descending: true,
      limit,
      after: after === undefined ? undefined : `${prefix}${after}`,
    });
  let looked = 0;
  return async (after, limit) => {
    const pages = await Promise.all([RESULTS, PINGS].map((prefix) => page(prefix, after, limit)));
    // Behind the end of a page there may be more of it, so that what lies there is for the next.
    const ends = pages.flatMap(({ items, next }) => (next === undefined ? [] : [placeOf(items.at(-1)!)]));
    const floor = ends.toSorted().at(-1) ?? '';
    const items = pages
      .flatMap((one) => one.items)
      .filter((item) => placeOf(item) >= floor)
      .sort((a, b) => (placeOf(a) > placeOf(b) ? -1 : 1));
    looked += items.length;
    const found = items.flatMap((item) => {
      const { ping } = item;
      if (!ping) return [];
      const latency_ms = 'latency_ms' in item ? item.latency_ms : 0;
      return [{ at: placeOf(item), value: { ...pingRecord(item, ping, latency_ms), ...shown } }];
    });
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]!.at };
    return { found, next: floor === '' ? undefined : floor, enough: looked >= MOST_LOOKED_AT };
  };
}

/** What is behind the two characters that say what kind of item it is. */
const placeOf = ({ sk }: { sk: string }): string => sk.slice(2);

/** What a ping brought, for who may see it. Throws NOT_FOUND where nothing is kept. */
export async function readPingBody(context: Context, check: CheckItem, pingId: string): Promise<string> {
  const { ports, keys, tenant, caller } = context;
  const at = isId('png', pingId) ? timeOf(pingId) : 0;
  const isKept = at >= retentionStart(ports.clock.now(), caller.retention_days);
  const range = { partition: keys.ofCheck(tenant, check.id), ...under(`${PING_BODIES}${stamp(at)}#`) };
  const here = isKept ? await allOf<PingBodyItem>(ports.table, range) : [];
  const body = here.find((item) => pingIdOf(item) === pingId);
  if (!body) throw notFound(`A body of ping ${pingId}`);
  return seesSecrets(caller) ? body.text : REDACTED;
}
