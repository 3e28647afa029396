import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { after as above, PING_BODIES, PINGS, RESULTS, stamp, under } from '#lib/keys.ts';
import { notFound } from '#lib/platform/errors.ts';
import type { Reader } from '#lib/platform/http/paging.ts';
import { derivedId, isId, timeOf } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import { orderOf, PING_KINDS, type PingBodyItem, type PingFacts, type ResultItem } from '#lib/results/result.ts';

/** A ping on the wire (docs/use/heartbeats.md#pings). */
export const PingRecord = z
  .object({
    id: z.string().describe('Id of the ping.'),
    kind: z
      .enum(PING_KINDS)
      .describe('success, fail: a run has ended so. start: one has begun. log: something to keep, and no more.'),
    exit_status: z.int().nullable().describe('The number at the end of its address; null: there was none.'),
    rid: z.string().nullable().describe('Id of its run, by which start and end belong together; null: none was given.'),
    duration_ms: z
      .int()
      .nullable()
      .describe('How long the run took that it ended, in milliseconds; null: its start is not known.'),
    at: z.iso.datetime().describe('When it came.'),
    method: z.string().describe('HEAD, GET or POST.'),
    remote_addr: z.string().describe('Address of the client.'),
    user_agent: z.string().describe('What the client calls itself; cut at 200 characters.'),
    body_bytes: z.int().describe('Bytes of its body that are kept; 0: none.'),
  })
  .meta({ id: 'Ping' });
export type PingRecord = z.infer<typeof PingRecord>;

/** A ping that is no result, a start or a log entry: about 300 bytes under its check, at `P#<ms>#<tail>`. Put once. */
export type PingItem = Item & { ping: PingFacts };

/** What is behind the prefix of a sort key: the same for a ping and its body. */
const placeOf = ({ sk }: Pick<Item, 'sk'>): string => sk.slice(sk.indexOf('#') + 1);

/** The id of a ping, or of the ping that a body belongs to: it follows from where they stand. */
const pingIdOf = (item: Pick<Item, 'pk' | 'sk'>): string => derivedId('png', orderOf(item), item.pk, placeOf(item));

/** The ping on the wire. @param latencyMs of the result that it became */
const pingRecord = (item: Pick<Item, 'pk' | 'sk'>, ping: PingFacts, latencyMs = 0): PingRecord => ({
  id: pingIdOf(item),
  kind: ping.kind,
  exit_status: ping.exit_status,
  rid: ping.rid ?? null,
  duration_ms: latencyMs > 0 ? latencyMs : null,
  at: iso(orderOf(item)),
  method: ping.method,
  remote_addr: ping.remote_addr,
  user_agent: ping.user_agent,
  body_bytes: ping.body_bytes,
});

/** Items that one request looks at: results that came by key lie between pings. */
const MAX_SCANNED = 2000;

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
    const ends = pages.flatMap(({ items, next }) => (next === undefined ? [] : [placeInList(items.at(-1)!)]));
    const floor = ends.toSorted().at(-1) ?? '';
    const items = pages
      .flatMap((one) => one.items)
      .filter((item) => placeInList(item) >= floor)
      .sort((a, b) => (placeInList(a) > placeInList(b) ? -1 : 1));
    looked += items.length;
    const found = items.flatMap((item) => {
      const { ping } = item;
      if (!ping) return [];
      const latency_ms = 'latency_ms' in item ? item.latency_ms : 0;
      return [{ at: placeInList(item), value: { ...pingRecord(item, ping, latency_ms), ...shown } }];
    });
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]!.at };
    return { found, next: floor === '' ? undefined : floor, enough: looked >= MAX_SCANNED };
  };
}

/** What is behind the two characters that say what kind of item it is. */
const placeInList = ({ sk }: { sk: string }): string => sk.slice(2);

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
