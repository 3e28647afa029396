import type { IncomingMessage, ServerResponse } from 'node:http';

/** More than any function reads of a body, so that whoever is given so much knows that it is too large. */
export const KEPT_BYTES = 2 * 1024 * 1024;
/** So far a body is read before its request is answered, and once more behind the answer, so that it can be seen. */
const PATIENCE = 40 * 1024 * 1024;

/**
 * Hands a body over when it has ended; of one over KEPT_BYTES no more than that and a little: whether it matters is for
 * the gates of the function to say, in their order, and some never look. The rest is read and forgotten, and one that
 * goes on and on is cut off.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let behind = 0;
  let isTaken = false;
  const handOver = () => {
    isTaken = true;
    take(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    chunks.length = 0;
  };
  request.on('data', (chunk: Buffer) => {
    if (bytes <= KEPT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
    if (!isTaken && bytes > PATIENCE) handOver();
    else if (response.headersSent) behind += chunk.length;
    if (behind > PATIENCE) request.destroy();
  });
  request.on('end', () => {
    if (!isTaken) handOver();
  });
  // The client is gone: there is nobody to answer.
  request.on('error', () => {});
}

export const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
