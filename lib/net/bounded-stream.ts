import { Duplex } from 'node:stream';

/** Wraps a stream for a parser without a limit. Calls `onOver` after more than `maxBytes`, then destroys the stream. */
export function boundedStream(stream: Duplex, maxBytes: number, onOver: () => void): Duplex {
  let received = 0;
  let isEnded = false;
  const bounded = new Duplex({
    allowHalfOpen: false,
    read: () => void stream.resume(),
    write: (piece, _encoding, done) => void stream.write(piece, (error) => done(error)),
    final: (done) => void stream.end(() => done()),
    destroy: (error, done) => {
      stream.destroy();
      done(error);
    },
  });
  stream.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received > maxBytes) {
      onOver();
      bounded.destroy();
    } else if (!bounded.push(piece)) stream.pause();
  });
  stream.once('end', () => {
    isEnded = true;
    bounded.push(null);
  });
  stream.once('close', () => {
    if (!isEnded) bounded.destroy();
  });
  bounded.on('error', () => {});
  return bounded;
}
