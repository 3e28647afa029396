import type { IncomingMessage } from 'node:http';
import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import type { Bounds } from './bounds.ts';

/** Memory for bodies that are being received: bounded in total and per address. */
type BodyRoom = {
  /** Returns false and reserves nothing if there is no room. */
  take(address: string, bytes: number): boolean;
  give(address: string, bytes: number): void;
};

export function bodyRoom(bounds: Bounds): BodyRoom {
  const held = new Map<string, number>();
  let total = 0;
  return {
    take(address, bytes) {
      const network = networkOf(address);
      const own = (held.get(network) ?? 0) + bytes;
      if (own > bounds.body_bytes_of_address || total + bytes > bounds.body_bytes) return false;
      held.set(network, own);
      total += bytes;
      return true;
    },
    give(address, bytes) {
      if (bytes === 0) return;
      const network = networkOf(address);
      const left = held.get(network)! - bytes;
      if (left === 0) held.delete(network);
      else held.set(network, left);
      total -= bytes;
    },
  };
}

export const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

/** Returns a reader of a body, which stays in connection buffers until read. A body that is too large is not kept. */
export function bodyReader(
  request: IncomingMessage,
  address: string,
  room: BodyRoom,
  bounds: Bounds,
): NonNullable<ApiEvent['readBody']> {
  return (most, cut) =>
    new Promise((resolve, reject) => {
      // The client has disconnected, so the error reaches no one.
      if (request.destroyed) return reject(incompleteBody());
      if (!cut && Number(request.headers['content-length'] ?? 0) > most) return resolve(undefined);
      const chunks: Buffer[] = [];
      let bytes = 0;
      let held = 0;
      const done = (settle: () => void) => {
        request.off('data', onData).off('end', onEnd).off('close', onClose);
        room.give(address, held);
        settle();
      };
      const onData = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > most && cut) return done(() => resolve(Buffer.concat([...chunks, chunk]).subarray(0, most)));
        if (bytes > most) return done(() => resolve(undefined));
        if (bytes > bounds.small_body_bytes) {
          if (!room.take(address, bytes - held)) return done(() => reject(noRoom()));
          held = bytes;
        }
        chunks.push(chunk);
      };
      const onEnd = () => done(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      const onClose = () => done(() => reject(incompleteBody()));
      request.on('data', onData).on('end', onEnd).on('close', onClose);
    });
}

const incompleteBody = (): AppError => new AppError('VALIDATION_ERROR', 'The body is incomplete.');

const noRoom = (): AppError =>
  new AppError('RATE_LIMITED', 'Too many large bodies at once. Try again in 1 s.', {
    headers: { 'retry-after': '1' },
  });

/** Discards the rest of a body, so that the client sees the response; `request.complete` states whether it ended. */
export function drainBody(request: IncomingMessage, bounds: Bounds): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const cut = setTimeout(resolve, bounds.discarding_ms);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bounds.discarded_bytes) resolve();
    });
    const over = () => {
      clearTimeout(cut);
      resolve();
    };
    request.on('end', over).on('close', over);
  });
}
