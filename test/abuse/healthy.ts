import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request at the victim's receiver; `at` in epoch ms. */
export type Arrival = { at: number; path: string; delivery: string };

/**
 * The external systems of the victim, in their own process: a target that returns 200 on `/target/...`, and a receiver
 * on all other paths, which records requests. Responds to any message of its parent with all recorded requests.
 */
const arrivals: Arrival[] = [];
const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (!path.startsWith('/target/')) {
    arrivals.push({ at: Date.now(), path, delivery: String(request.headers['x-service-delivery'] ?? '') });
  }
  request.resume();
  response.end('ok');
});
server.listen(0, '127.77.0.2', () => {
  process.send!({ url: `http://127.77.0.2:${(server.address() as AddressInfo).port}` });
});
process.on('message', () => process.send!(arrivals));
process.on('disconnect', () => process.exit());
