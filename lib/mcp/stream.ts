import { randomUUID } from 'node:crypto';
import { authenticate } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { AppError } from '#lib/platform/errors.ts';
import { isReconnect } from './era.ts';
import { readPosted } from './json-rpc.ts';
import {
  awaitAnswer,
  closeStream,
  layDown,
  openStream,
  readMail,
  renewStream,
  requireStream,
  takeOut,
} from './mailbox.ts';
import { answer } from './methods.ts';

/** What a stream does in its life of MCP_STREAM_SECONDS, all in ms. */
const TIMING = {
  /** When its life is over, it goes on for so long at the most: until its client was quiet for a moment. */
  drain: 45_000,
  quiet: 2_000,
  /** A client that never sent anything is none. One that was known before may just have nothing to say. */
  first: 30_000,
  /** Nobody sent anything for so long: the client may be gone without a word. */
  idle: 10 * 60_000,
  /** Keep-alive; also the key is asked after again. */
  ping: 15_000,
  renew: 60_000,
  /** Looks often for so long after a message, and then seldom. */
  busy: 30_000,
  busyPoll: 100,
  idlePoll: 1000,
};

/** Wakes the streams of this process, so that where GET and POST meet in one, nobody waits for the next look. */
export type Bells = Map<string, () => void>;

/**
 * Answers a GET with a stream of server-sent events: the address to POST to, and then every answer to what is posted
 * there. Throws RATE_LIMITED. It ends when `request.signal` aborts, as soon as nothing is awaited.
 */
export async function answerStream(context: Context, request: Request, bells: Bells): Promise<Response> {
  const session = randomUUID();
  await openStream(context, session);
  const endpoint = `${new URL(request.url).pathname}?sessionId=${session}`;
  const events = serve(context, request, session, endpoint, bells);
  return new Response(ReadableStream.from(encoded(events)), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

/**
 * Takes what is posted for a stream: 202 as soon as the answers lie in its mailbox. Throws NOT_FOUND when the stream
 * has closed, RpcError when there is no message.
 */
export async function takeMessages(
  context: Context,
  session: string,
  body: Uint8Array,
  bells: Bells,
): Promise<Response> {
  await requireStream(context, session);
  for (const message of readPosted(body).messages) {
    if (message.is === 'silent') continue;
    const letter = await awaitAnswer(context, session);
    await layDown(context, session, letter, await answer(context, 'stream', message));
    bells.get(session)?.();
  }
  return new Response(null, { status: 202 });
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}

const eventOf = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

async function* serve(
  context: Context,
  { headers, signal }: Request,
  session: string,
  endpoint: string,
  bells: Bells,
): AsyncGenerator<string> {
  const { clock, log } = context.ports;
  const opened = clock.now();
  const life = context.ports.settings.MCP_STREAM_SECONDS * 1000;
  const fields = { tenant_id: context.tenant, key_id: context.caller.key_id, session };
  const sent = new Set<string>();
  let heard = opened;
  let wasHeard = isReconnect(headers);
  let [pinged, renewed] = [opened, opened];

  /** What has come since, and how much is still awaited. */
  async function collect(exact: boolean): Promise<{ events: string; awaited: number }> {
    const mail = await readMail(context, session, exact);
    // An eventual read may show again what was taken out already.
    const fresh = mail.answers.filter(({ id }) => !sent.has(id));
    for (const { id } of fresh) sent.add(id);
    if (fresh.length > 0) await takeOut(context, session, mail.sks);
    if (fresh.length > 0 || mail.awaited > 0) [heard, wasHeard] = [clock.now(), true];
    return { events: fresh.map(({ text }) => eventOf('message', text)).join(''), awaited: mail.awaited };
  }

  /** Whether it may end, as nothing is awaited. A client in the middle of its talk would post into the gap. */
  const isOver = (now: number): boolean => {
    const silence = now - heard;
    const isQuiet = silence >= TIMING.quiet || now - opened >= life + TIMING.drain;
    return signal.aborted || (isQuiet && now - opened >= life) || silence >= (wasHeard ? TIMING.idle : TIMING.first);
  };

  const rest = bell(bells, session, signal);
  try {
    // A client that has lost its stream is back within 10 ms, so that hardly a call falls into the gap.
    yield `retry: 10\n${eventOf('endpoint', endpoint)}`;
    for (;;) {
      try {
        const { events, awaited } = await collect(false);
        if (events !== '') yield events;
        const now = clock.now();
        if (awaited === 0 ? isOver(now) : now - opened >= life + TIMING.drain) break;
        if (now - pinged >= TIMING.ping) {
          await authenticate(context.ports, context.keys, Object.fromEntries(headers));
          pinged = now;
          yield ': ping\n\n';
        }
        if (now - renewed >= TIMING.renew) {
          await renewStream(context, session);
          renewed = now;
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // The key was deleted, or its account disabled.
        if (error.code !== 'UNAVAILABLE') return;
        log.warn('an MCP stream could not look for answers and tries again', { ...fields, error });
      }
      await rest(clock.sleep(clock.now() - heard < TIMING.busy ? TIMING.busyPoll : TIMING.idlePoll));
    }
    // Whoever comes now is told so; whoever came before still gets an answer.
    await closeStream(context, session);
    const end = clock.now() + TIMING.drain;
    for (;;) {
      const { events, awaited } = await collect(true);
      if (events !== '') yield events;
      if (awaited === 0 || clock.now() >= end) return;
      await clock.sleep(TIMING.busyPoll);
    }
  } catch (error) {
    log.error('an MCP stream broke off', { ...fields, error });
  } finally {
    bells.delete(session);
    await closeStream(context, session).catch((error) =>
      log.warn('the end of an MCP stream could not be noted', { ...fields, error }),
    );
  }
}

/** @returns waits for a rest to end, or until the session's bell rings or the signal aborts, whichever comes first */
function bell(bells: Bells, session: string, signal: AbortSignal): (sleep: Promise<void>) => Promise<void> {
  let ring = () => {};
  let rung = new Promise<void>((resolve) => {
    ring = resolve;
  });
  bells.set(session, () => ring());
  signal.addEventListener('abort', () => ring(), { once: true });
  return async (sleep) => {
    await Promise.race([sleep, rung]);
    rung = new Promise<void>((resolve) => {
      ring = resolve;
    });
  };
}
