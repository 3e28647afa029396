import { authenticate } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { STREAM_VERSION, VERSION_HEADER } from '#lib/mcp/protocol/variant.ts';
import { AppError } from '#lib/platform/errors.ts';
import { closeStream, deleteReplies, readReplies, renewStream } from './reply-queue.ts';

/** Times in the life of a stream, which is MCP_STREAM_SECONDS long; all in ms. */
const TIMING = {
  /** At the end of its life it waits until its client has been quiet this long: a busy one would post into the gap. */
  quiet: 2_000,
  /** It waits no longer than this: the platform cuts it soon after. */
  overtime: 45_000,
  /** A new client that sends nothing for this long is gone. One that reconnects may just have nothing to send. */
  first: 30_000,
  /** After this long without a message the client counts as gone. */
  idle: 10 * 60_000,
  /** Keep-alive; the API key is checked again with it. */
  ping: 15_000,
  renew: 60_000,
  /** For this long after a message it polls at `busyPoll`, then at `idlePoll`. */
  busy: 30_000,
  busyPoll: 100,
  idlePoll: 1000,
};

/** Wake-ups by session: where GET and POST run in one process, a reply does not wait for the next poll. */
export type Wakeups = Map<string, () => void>;

/** Whether a stream is opened by a client that lost one before: it was initialized then. */
const isReconnect = (headers: Headers): boolean => headers.get(VERSION_HEADER) === STREAM_VERSION;

const serverSentEvent = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

/**
 * The events of one stream, from the address to post to until its end: when its life is over, its client gone silent,
 * its key deleted, or the signal aborts. It ends with no reply awaited: first its queue closes, then all that was
 * posted before is answered.
 */
export async function* eventsOf(
  context: Context,
  { headers, signal }: Request,
  { session, endpoint }: { session: string; endpoint: string },
  wakeups: Wakeups,
): AsyncGenerator<string> {
  const { clock, log, settings } = context.ports;
  const fields = { tenant_id: context.tenant, key_id: context.caller.key_id, session };
  const opened = clock.now();
  const life = settings.MCP_STREAM_SECONDS * 1000;
  const sent = new Set<string>();
  let [heard, pinged, renewed] = [opened, opened, opened];
  let wasHeard = isReconnect(headers);
  let isClosed = false;

  const isOver = (now: number): boolean => {
    const [age, silence] = [now - opened, now - heard];
    if (signal.aborted || silence >= (wasHeard ? TIMING.idle : TIMING.first)) return true;
    return age >= life && (silence >= TIMING.quiet || age >= life + TIMING.overtime);
  };

  const rest = wakeable(wakeups, session, signal);
  try {
    // A client that has lost its stream is back within 10 ms, so that hardly a call falls into the gap.
    yield `retry: 10\n${serverSentEvent('endpoint', endpoint)}`;
    for (;;) {
      try {
        const { replies, awaited, sks } = await readReplies(context, session, isClosed);
        for (const { id, text } of replies) {
          // An eventual read may show again what was deleted already.
          if (sent.has(id)) continue;
          sent.add(id);
          yield serverSentEvent('message', text);
        }
        await deleteReplies(context, session, sks);
        const now = clock.now();
        if (replies.length > 0 || awaited > 0) [heard, wasHeard] = [now, true];
        const isLate = now - opened >= life + TIMING.overtime;
        if (isClosed && (awaited === 0 || isLate)) return;
        if (!isClosed && ((awaited === 0 && isOver(now)) || isLate)) {
          // From now on posts are refused; what was posted before is found by one more read.
          await closeStream(context, session);
          isClosed = true;
          continue;
        }
        if (now - pinged >= TIMING.ping) {
          await authenticate(context, { headers: Object.fromEntries(headers), address: '', request_id: '' });
          pinged = now;
          yield ': ping\n\n';
        }
        if (!isClosed && now - renewed >= TIMING.renew) {
          await renewStream(context, session);
          renewed = now;
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // The key was deleted, or its account disabled.
        if (error.code !== 'UNAVAILABLE') return;
        log.warn('an MCP stream could not read its replies and tries again', { ...fields, error });
        if (clock.now() - opened >= life + TIMING.overtime) return;
      }
      await rest(clock.sleep(isClosed || clock.now() - heard < TIMING.busy ? TIMING.busyPoll : TIMING.idlePoll));
    }
  } catch (error) {
    log.error('an MCP stream broke off', { ...fields, error });
  } finally {
    wakeups.delete(session);
    if (!isClosed) {
      await closeStream(context, session).catch((error) =>
        log.warn('the end of an MCP stream could not be noted', { ...fields, error }),
      );
    }
  }
}

/** @returns waits until a sleep ends, the session is woken, or the signal aborts, whichever comes first */
function wakeable(wakeups: Wakeups, session: string, signal: AbortSignal): (sleep: Promise<void>) => Promise<void> {
  let { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  wakeups.set(session, wake);
  signal.addEventListener('abort', wake, { once: true });
  return async (sleep) => {
    await Promise.race([sleep, promise]);
    ({ promise, resolve } = Promise.withResolvers<void>());
  };
}
