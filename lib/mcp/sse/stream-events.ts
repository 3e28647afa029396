import { authenticate } from '#lib/access/authenticate.ts';
import type { Context } from '#lib/access/context.ts';
import { STREAM_VERSION, VERSION_HEADER } from '#lib/mcp/protocol/variant.ts';
import { AppError } from '#lib/platform/errors.ts';
import { closeStream, deleteReplies, readReplies, renewStream } from './reply-queue.ts';

/** Times of a stream with the lifetime MCP_STREAM_SECONDS, in ms. */
const TIMING = {
  /** Time without messages after which a stream past its lifetime ends. A client cannot send until it reconnects. */
  quiet: 2_000,
  /** Maximum delay of that end; soon afterwards the platform would end the stream. */
  overtime: 45_000,
  /** Time after which a new client without a message counts as gone. For a reconnected client, `idle` applies. */
  first: 30_000,
  /** Time without messages after which a client counts as gone. */
  idle: 10 * 60_000,
  /** Interval of keep-alives. Before each, the API key is checked again. */
  ping: 15_000,
  renew: 60_000,
  /** Time after a message during which the interval of polls is `busyPoll`; afterwards it is `idlePoll`. */
  busy: 30_000,
  busyPoll: 100,
  idlePoll: 1000,
};

/** Wake-up functions by session, so that a reply of the same process does not wait for the next poll. */
export type Wakeups = Map<string, () => void>;

/** Whether the client reconnects: it sends the version that `initialize` has returned. */
const isReconnect = (headers: Headers): boolean => headers.get(VERSION_HEADER) === STREAM_VERSION;

const serverSentEvent = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

/** Yields the events of a stream until its lifetime ends, its client is idle or aborts, or its key is deleted. */
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
  let [lastMessageAt, pinged, renewed] = [opened, opened, opened];
  let hadMessage = isReconnect(headers);
  let isClosed = false;

  const isOver = (now: number): boolean => {
    const [age, idle] = [now - opened, now - lastMessageAt];
    if (signal.aborted || idle >= (hadMessage ? TIMING.idle : TIMING.first)) return true;
    return age >= life && (idle >= TIMING.quiet || age >= life + TIMING.overtime);
  };

  const pause = wakeable(wakeups, session, signal);
  try {
    // The client reconnects 10 ms after the end of its stream, so that few calls fall into the gap.
    yield `retry: 10\n${serverSentEvent('endpoint', endpoint)}`;
    for (;;) {
      try {
        const { replies, pending, sks } = await readReplies(context, session, isClosed);
        for (const { id, text } of replies) {
          // An eventual read may return deleted replies again.
          if (sent.has(id)) continue;
          sent.add(id);
          yield serverSentEvent('message', text);
        }
        await deleteReplies(context, session, sks);
        const now = clock.now();
        if (replies.length > 0 || pending > 0) [lastMessageAt, hadMessage] = [now, true];
        const isLate = now - opened >= life + TIMING.overtime;
        if (isClosed && (pending === 0 || isLate)) return;
        if (!isClosed && ((pending === 0 && isOver(now)) || isLate)) {
          // Further POSTs are rejected; one more read finds the replies to earlier ones.
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
        // The key was deleted, or its account was disabled.
        if (error.code !== 'UNAVAILABLE') return;
        log.warn('MCP stream could not read its replies, will be retried', { ...fields, error });
        if (clock.now() - opened >= life + TIMING.overtime) return;
      }
      await pause(
        clock.sleep(isClosed || clock.now() - lastMessageAt < TIMING.busy ? TIMING.busyPoll : TIMING.idlePoll),
      );
    }
  } catch (error) {
    log.error('MCP stream interrupted', { ...fields, error });
  } finally {
    wakeups.delete(session);
    if (!isClosed) {
      await closeStream(context, session).catch((error) =>
        log.warn('end of an MCP stream not recorded', { ...fields, error }),
      );
    }
  }
}

/** Returns a function that waits until a sleep ends, the session is woken, or the signal aborts. */
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
