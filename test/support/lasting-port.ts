import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux (32768 and up), macOS and Windows (49152) give to outgoing connections. */
const FIRST = 15_000;
const LAST = 31_999;

/**
 * A free port of 127.0.0.1 for a server that is to come back on it. One that the system chooses lies among those of
 * outgoing connections, so that while the server is away somebody's connection may be given it.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
