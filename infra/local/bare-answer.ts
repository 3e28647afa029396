import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { corsOfNothing } from './cors.ts';

/** How long a client has to read its answer and close before the connection is cut. */
const LINGER_MS = 2000;
const ending = new WeakSet<Duplex>();

/** An error in the form of every other, where node:http has no response to write it to; then the connection ends. */
export function answerBare(socket: Duplex, line: string, error: AppError, origins: readonly string[]): void {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': randomUUID(),
    connection: 'close',
    ...error.headers,
    ...corsOfNothing(origins),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => {});
  ending.add(socket);
  // What still comes is read and forgotten: unread, it would make the system drop the answer at the close.
  socket.resume();
  socket.end([`HTTP/1.1 ${line}`, ...lines, '', body].join('\r\n'));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * What is not HTTP, or does not arrive in time.
 * @param current the newest answer on this connection
 */
export function onClientError(
  error: NodeJS.ErrnoException & { reason?: string },
  socket: Duplex,
  current: ServerResponse | undefined,
  origins: readonly string[],
): void {
  if (ending.has(socket)) return;
  const isOwed = current && !current.writableFinished && current.req.complete;
  const hasItsAnswer = current?.headersSent && !current.req.complete;
  if (!socket.writable || error.code === 'ECONNRESET' || hasItsAnswer) socket.destroy();
  // The request before is whole: its answer goes out, and is the last.
  else if (isOwed) current.shouldKeepAlive = false;
  else {
    const [line, message] = known(error);
    const details = [{ path: '', message }];
    answerBare(socket, line, new AppError('VALIDATION_ERROR', message, { details }), origins);
  }
}

function known({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): [string, string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['431 Request Header Fields Too Large', 'The headers have more than 16 KB.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'The request did not arrive in time.'];
  return ['400 Bad Request', `The request is not valid HTTP: ${reason ?? message}.`];
}
