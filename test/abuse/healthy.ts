import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request at the victim's receiver, `at` (epoch ms). */
export type Arrival = { at: number; path: string; delivery: string };

/**
 * What is the victim's outside of the service, in a process of its own: a target that answers 200 on `/target/...`, and
 * a receiver everywhere else, which notes what arrives. On any message of its parent it answers all that it noted.
 */
const noted: Arrival[] = [];
const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (!path.startsWith('/target/')) {
    noted.push({ at: Date.now(), path, delivery: String(request.headers['x-service-delivery'] ?? '') });
  }
  request.resume();
  response.end('ok');
});
server.listen(0, '127.77.0.2', () => {
  process.send!({ url: `http://127.77.0.2:${(server.address() as AddressInfo).port}` });
});
process.on('message', () => process.send!(noted));
process.on('disconnect', () => process.exit());
