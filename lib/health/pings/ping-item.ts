import * as z from 'zod';
import { derivedId } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { PING_KINDS } from '#lib/results/pings/ping-path.ts';
import { orderOf, type PingFacts } from '#lib/results/result.ts';

/** A ping on the wire (docs/CONTRACT.md#pings). */
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

/** What a ping brought, at `B#<ms>#<tail>`: at most 10,000 bytes. Put before the ping, and dropped with it. */
export type PingBodyItem = Item & { text: string };

/** What is behind the prefix of a sort key: the same for a ping and its body. */
const placeOf = ({ sk }: Pick<Item, 'sk'>): string => sk.slice(sk.indexOf('#') + 1);

/** The id of a ping, or of the ping that a body belongs to: it follows from where they stand. */
export const pingIdOf = (item: Pick<Item, 'pk' | 'sk'>): string =>
  derivedId('png', orderOf(item), item.pk, placeOf(item));

/** The ping on the wire. @param latencyMs of the result that it became */
export const pingRecord = (item: Pick<Item, 'pk' | 'sk'>, ping: PingFacts, latencyMs = 0): PingRecord => ({
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
