import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A light target in its own process: returns 200 to everything and records the time of each request to `/<n>`, except
 * `/flap`, which fails every other two seconds. Responds to any message of its parent with all records.
 */
export type Arrivals = { path: number[]; at: number[] };

const noted: Arrivals = { path: [], at: [] };
const FLAP_MS = 2000;
const server = createServer((request, response) => {
  if (request.url === '/flap') {
    response.statusCode = Math.floor(Date.now() / FLAP_MS) % 2 ? 200 : 500;
    return response.end();
  }
  noted.path.push(Number(request.url!.slice(1)));
  noted.at.push(Date.now());
  return response.end('ok');
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!(noted));
process.on('disconnect', () => process.exit());
