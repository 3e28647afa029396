import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** Streams a web Response. Cancels its body when the client disconnects, and cuts the connection at the timeout. */
export async function streamOut(
  response: ServerResponse,
  reply: Response,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<void> {
  if (response.destroyed) {
    await reply.body?.cancel();
    return;
  }
  response.writeHead(reply.status, { ...Object.fromEntries(reply.headers), ...headers });
  if (!reply.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  const cut = setTimeout(() => response.destroy(), timeoutMs);
  try {
    await pipeline(Readable.fromWeb(reply.body as ReadableStream), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    clearTimeout(cut);
  }
}
