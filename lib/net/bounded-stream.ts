import { Duplex } from 'node:stream';

/**
 * A stream that reads so many bytes of another at most, for parsers that know no such bound: of whatever a peer sends
 * beyond it, nothing is parsed.
 * @param onOver told once, when more came; the stream is closed then
 */
export function boundedStream(stream: Duplex, most: number, onOver: () => void): Duplex {
  let taken = 0;
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
    taken += piece.length;
    if (taken > most) {
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
