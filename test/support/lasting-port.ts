import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * First and last port of a range below the ports that Linux (32768 and up), macOS and Windows (49152 and up) give to
 * outgoing connections.
 */
const FIRST = 15_000;
const LAST = 31_999;

/**
 * Returns a free port of 127.0.0.1 for a server that restarts on it. A port that the system chooses is in the range of
 * outgoing connections, so an outgoing connection could take it while the server is down.
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
