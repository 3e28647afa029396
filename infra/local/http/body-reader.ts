import type { IncomingMessage } from 'node:http';
import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import type { Bounds } from './bounds.ts';

/** Room for the bodies that are being received: bounded over all of them, and for each address. */
type BodyRoom = {
  /** False, and nothing taken, when there is no room. */
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

/**
 * Reads a body when it is wanted (`ApiEvent.readBody`). Until then it stays with the client and in the buffers of the
 * connection. Nothing is kept of a body that is too large.
 */
export function bodyReader(
  request: IncomingMessage,
  address: string,
  room: BodyRoom,
  bounds: Bounds,
): NonNullable<ApiEvent['readBody']> {
  return (most, cut) =>
    new Promise((resolve, reject) => {
      // The client is gone: nobody hears of this.
      if (request.destroyed) return reject(notWhole());
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
      const onClose = () => done(() => reject(notWhole()));
      request.on('data', onData).on('end', onEnd).on('close', onClose);
    });
}

const notWhole = (): AppError => new AppError('VALIDATION_ERROR', 'The body did not arrive whole.');

const noRoom = (): AppError =>
  new AppError('RATE_LIMITED', 'Too much is being sent at once. Try again in 1 s.', {
    headers: { 'retry-after': '1' },
  });

/**
 * Reads and forgets what still comes of a body, so that its answer can be seen. Resolves when it has ended, or has gone
 * on for too long: `request.complete` says which.
 */
export function drainBody(request: IncomingMessage, bounds: Bounds): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const cut = setTimeout(resolve, bounds.behind_ms);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bounds.behind_bytes) resolve();
    });
    const over = () => {
      clearTimeout(cut);
      resolve();
    };
    request.on('end', over).on('close', over);
  });
}
