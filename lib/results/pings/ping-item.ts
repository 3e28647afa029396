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

/** Ping as the API shows it (docs/use/heartbeats.md#pings). */
export const PingRecord = z
  .object({
    id: z.string().describe('Id of the ping.'),
    kind: z
      .enum(PING_KINDS)
      .describe('success, fail: outcome of a run. start: start of a run. log: a log entry without effect.'),
    exit_status: z.int().nullable().describe('Exit status at the end of its path; null if the path has none.'),
    rid: z.string().nullable().describe('Run id that connects start and end; null if not given.'),
    duration_ms: z
      .int()
      .nullable()
      .describe('Duration of the run that it ended, in milliseconds; null if its start is not known.'),
    at: z.iso.datetime().describe('Time of its arrival.'),
    method: z.string().describe('HEAD, GET or POST.'),
    remote_addr: z.string().describe('Address of the client.'),
    user_agent: z.string().describe('User agent of the client, truncated to 200 characters.'),
    body_bytes: z.int().describe('Number of stored bytes of its body; 0 without a body.'),
  })
  .meta({ id: 'Ping' });
export type PingRecord = z.infer<typeof PingRecord>;

/** Ping without a result (a start or a log entry): about 300 bytes under its check, at `P#<ms>#<tail>`. Put once. */
export type PingItem = Item & { ping: PingFacts };

const suffixOf = ({ sk }: Pick<Item, 'sk'>): string => sk.slice(sk.indexOf('#') + 1);

const pingIdOf = (item: Pick<Item, 'pk' | 'sk'>): string => derivedId('png', orderOf(item), item.pk, suffixOf(item));

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

/** Number of items after which a page ends early, because many can be results that were pushed with an API key. */
const MAX_SCANNED = 2000;

type Stored = PingItem | (ResultItem & { ping?: undefined }) | (ResultItem & Pick<PingItem, 'ping'>);

/** Returns a reader of the pings of a check, newest first, merged from results and pings without a result. */
export function pingList(context: Context, check: CheckItem): Reader<PingRecord> {
  const { ports, keys, tenant, caller } = context;
  const partition = keys.ofCheck(tenant, check.id);
  const from = stamp(retentionStart(ports.clock.now(), caller.retention_days));
  const masked = seesSecrets(caller) ? {} : { remote_addr: REDACTED };
  const page = (prefix: string, after: string | undefined, limit: number) =>
    ports.table.query<Stored>({
      partition,
      from: `${prefix}${from}`,
      to: above(prefix),
      descending: true,
      limit,
      after: after === undefined ? undefined : `${prefix}${after}`,
    });
  let visited = 0;
  return async (after, limit) => {
    const pages = await Promise.all([RESULTS, PINGS].map((prefix) => page(prefix, after, limit)));
    // Items older than the last one read from a list belong to the next page: unread items of that list may be newer.
    const ends = pages.flatMap(({ items, next }) => (next === undefined ? [] : [placeInList(items.at(-1)!)]));
    const floor = ends.toSorted().at(-1) ?? '';
    const items = pages
      .flatMap((one) => one.items)
      .filter((item) => placeInList(item) >= floor)
      .sort((a, b) => (placeInList(a) > placeInList(b) ? -1 : 1));
    visited += items.length;
    const found = items.flatMap((item) => {
      const { ping } = item;
      if (!ping) return [];
      const latency_ms = 'latency_ms' in item ? item.latency_ms : 0;
      return [{ at: placeInList(item), value: { ...pingRecord(item, ping, latency_ms), ...masked } }];
    });
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]!.at };
    return { found, next: floor === '' ? undefined : floor, enough: visited >= MAX_SCANNED };
  };
}

const placeInList = ({ sk }: { sk: string }): string => sk.slice(2);

/** Reads the body of a ping, redacted for a caller that may not see secrets. Throws NOT_FOUND if none is stored. */
export async function readPingBody(context: Context, check: CheckItem, pingId: string): Promise<string> {
  const { ports, keys, tenant, caller } = context;
  const at = isId('png', pingId) ? timeOf(pingId) : 0;
  const isKept = at >= retentionStart(ports.clock.now(), caller.retention_days);
  const range = { partition: keys.ofCheck(tenant, check.id), ...under(`${PING_BODIES}${stamp(at)}#`) };
  const here = isKept ? await allOf<PingBodyItem>(ports.table, range) : [];
  const body = here.find((item) => pingIdOf(item) === pingId);
  if (!body) throw notFound(`The body of ping ${pingId}`);
  return seesSecrets(caller) ? body.text : REDACTED;
}
