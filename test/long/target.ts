import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Numbers in the paths of the requests, and the times of the requests (epoch ms). */
export type Arrivals = { numbers: number[]; at: number[] };

/**
 * A light target in its own process. It returns 200 to requests to `/<n>` and records their times. `/flap` fails two of
 * every four seconds and is not recorded. The target responds to any message of its parent process with all records.
 */
const noted: Arrivals = { numbers: [], at: [] };
const FLAP_MS = 2000;
const server = createServer((request, response) => {
  if (request.url === '/flap') {
    response.statusCode = Math.floor(Date.now() / FLAP_MS) % 2 ? 200 : 500;
    return response.end();
  }
  noted.numbers.push(Number(request.url!.slice(1)));
  noted.at.push(Date.now());
  return response.end('ok');
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!(noted));
process.on('disconnect', () => process.exit());
