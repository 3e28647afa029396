import type { Context } from '#lib/access/context.ts';
import type { RpcReply } from '#lib/mcp/json-rpc.ts';
import { AppError, notFound } from '#lib/platform/errors.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

/**
 * Reply queue of a stream (HTTP with SSE, protocol version 2024-11-05). The request that holds the stream open and the
 * POST of a message may run in different processes, so replies pass through the table. An item is written before the
 * message is processed and filled with its reply later: the stream counts the empty items as pending.
 */

/** Open stream. Its process renews it before `until` (epoch ms), unless the process has crashed. */
type StreamItem = Item & { v: string; key_id: string; until: number };

/** Item written with each opened stream of a tenant. Its version prevents concurrent calls from exceeding the limit. */
type OpeningItem = Item & { v: string };

/** Part of a reply. Part 0 has the number of parts, absent while the reply is pending; `at`: epoch ms. */
type ReplyPartItem = Item & { at: number; parts?: number; text: string };

/** Maximum number of open streams of an account, as a multiple of the maximum of one key. */
const ACCOUNT_FACTOR = 3;
const LEASE_MS = 90_000;
/** Time (ms) after which a pending reply counts as lost: no tool takes that long, so its process has crashed. */
const LOST_MS = 60_000;
const EXPIRY_SECONDS = 3600;
/** Characters of a part: at most 300 KB, because a character has at most 3 bytes. */
const PART_CHARS = 100_000;

const expiry = (now: number): number => Math.ceil(now / 1000) + EXPIRY_SECONDS;

const streamItem = ({ ports, keys, tenant, caller }: Context, session: string): StreamItem => ({
  ...keys.mcpStream(tenant, caller.key_id, session),
  v: ports.ids.token(),
  key_id: caller.key_id,
  until: ports.clock.now() + LEASE_MS,
  expires_at: expiry(ports.clock.now()),
});

/** Records a stream. Throws RATE_LIMITED at the limit of its key or account, METHOD_NOT_ALLOWED if the limit is 0. */
export async function openStream(context: Context, session: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const opening = keys.mcpOpening(tenant);
  const stream = streamItem(context, session);
  await oneAtATime(ports.table, keys.mcpStreams(tenant), () =>
    retryOnConflict(ports, async () => {
      // Read before the count: a stream opened in between makes the write fail.
      const before = await ports.table.get<OpeningItem>(opening);
      await assertBelowLimit(context);
      const next: OpeningItem = { ...opening, v: ports.ids.token() };
      const outcome = await commit(ports, [
        { put: stream, if: 'absent' },
        { put: next, if: before ? { version: before.v } : 'absent' },
      ]);
      return outcome.ok ? true : RETRY;
    }),
  );
}

async function assertBelowLimit({ ports, keys, tenant, caller }: Context): Promise<void> {
  const now = ports.clock.now();
  const perKey = ports.settings.MCP_STREAMS_PER_KEY;
  if (perKey === 0) throw noStreams();
  const streams = await allOf<StreamItem>(ports.table, { partition: keys.mcpStreams(tenant) });
  const open = streams.filter(({ until }) => until > now);
  const ofAll = open.length;
  const ofKey = open.filter(({ key_id }) => key_id === caller.key_id).length;
  if (ofKey >= perKey) throw tooManyStreams('This key has', perKey);
  if (ofAll >= ACCOUNT_FACTOR * perKey) throw tooManyStreams('The keys of this account have', ACCOUNT_FACTOR * perKey);
}

/** Newer clients take status 405 as "this server has no streams" and read replies from the POST response. */
const noStreams = (): AppError =>
  new AppError('METHOD_NOT_ALLOWED', 'This service has no MCP streams (MCP_STREAMS_PER_KEY is 0); use POST.', {
    headers: { allow: 'POST' },
  });

const tooManyStreams = (subject: string, max: number): AppError =>
  new AppError('RATE_LIMITED', `${subject} ${max} open MCP streams, the maximum. Close some.`, {
    headers: { 'retry-after': '60' },
  });

/** Renews a stream; only its own process writes it. */
export async function renewStream(context: Context, session: string): Promise<void> {
  await context.ports.table.transact([{ put: streamItem(context, session) }]);
}

/** Closes a stream; afterwards no reply can be reserved for it. */
export async function closeStream({ ports, keys, tenant, caller }: Context, session: string): Promise<void> {
  await ports.table.transact([{ delete: keys.mcpStream(tenant, caller.key_id, session) }]);
}

/** Returns the open stream of the caller's key. Throws NOT_FOUND, also if it is closed. */
export async function requireStream({ ports, keys, tenant, caller }: Context, session: string): Promise<StreamItem> {
  const stream = /^[0-9a-f-]{36}$/.test(session)
    ? await ports.table.get<StreamItem>(keys.mcpStream(tenant, caller.key_id, session))
    : undefined;
  if (!stream || stream.until <= ports.clock.now()) throw notFound(`The open stream of session ${session}`);
  return stream;
}

/** Reserves a reply and returns its id. Throws NOT_FOUND if the stream was closed. */
export async function reserveReply(context: Context, session: string): Promise<string> {
  const { ports, keys, tenant } = context;
  const id = ports.ids.id('msg');
  const now = ports.clock.now();
  const reply: ReplyPartItem = {
    ...keys.replyPart(tenant, session, id, 0),
    v: ports.ids.token(),
    at: now,
    text: '',
    expires_at: expiry(now),
  };
  return retryOnConflict(ports, async () => {
    const { pk, sk, v } = await requireStream(context, session);
    const outcome = await commit(ports, [
      { put: reply, if: 'absent' },
      { check: { pk, sk }, if: { version: v } },
    ]);
    return outcome.ok ? id : RETRY;
  });
}

export async function putReply(context: Context, session: string, id: string, reply: RpcReply): Promise<void> {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  const texts = [...cut(JSON.stringify(reply))];
  const writes = texts.map((text, part): Write => {
    const put: ReplyPartItem = {
      ...keys.replyPart(tenant, session, id, part),
      at: now,
      ...(part === 0 && { parts: texts.length }),
      text,
      expires_at: expiry(now),
    };
    return { put };
  });
  await retryOnConflict(ports, async () => ((await ports.table.transact(writes)).ok ? true : RETRY));
}

function* cut(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + PART_CHARS;
    if (text.length > to && /[\ud800-\udbff]/.test(text[to - 1]!)) to--;
    yield text.slice(from, to);
    from = to;
  }
}

type QueuedReplies = {
  /** Complete replies as JSON, oldest first. */
  replies: { id: string; text: string }[];
  /** Number of reserved replies that are not written yet. */
  pending: number;
  /** Sort keys of the items of the complete replies. */
  sks: string[];
};

/** Reads the queue. @param exact whether to read strongly consistently, at twice the price */
export async function readReplies(
  { ports, keys, tenant }: Context,
  session: string,
  exact: boolean,
): Promise<QueuedReplies> {
  const replyParts = new Map<string, ReplyPartItem[]>();
  const query = { partition: keys.replyQueue(tenant, session), eventual: !exact };
  for (const item of await allOf<ReplyPartItem>(ports.table, query)) {
    const id = item.sk.slice(0, item.sk.indexOf('#'));
    replyParts.set(id, [...(replyParts.get(id) ?? []), item]);
  }

  const queued: QueuedReplies = { replies: [], pending: 0, sks: [] };
  for (const [id, parts] of replyParts) {
    const head = parts.find(({ sk }) => sk.endsWith('#0'));
    const numbered = parts.toSorted((a, b) => partNumber(a) - partNumber(b));
    if (head?.parts === parts.length) {
      queued.replies.push({ id, text: numbered.map(({ text }) => text).join('') });
      queued.sks.push(...parts.map(({ sk }) => sk));
    } else if (ports.clock.now() - (head?.at ?? 0) < LOST_MS) queued.pending += 1;
  }
  return queued;
}

const partNumber = ({ sk }: ReplyPartItem): number => Number(sk.slice(sk.indexOf('#') + 1));

export async function deleteReplies({ ports, keys, tenant }: Context, session: string, sks: string[]): Promise<void> {
  for (let from = 0; from < sks.length; from += 100) {
    await ports.table.transact(
      sks.slice(from, from + 100).map((sk) => ({ delete: { pk: keys.replyQueue(tenant, session), sk } })),
    );
  }
}
