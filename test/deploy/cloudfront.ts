import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Edge = { url: string; stop(): void };

/**
 * Starts a proxy instead of CloudFront, which the emulator lacks: a page sees one origin with the paths of the API.
 * @param origin returns the URL of the API on the emulator, which has a path prefix
 * @param host address on which it listens
 */
export async function startEdge(origin: () => Promise<string>, host = '127.0.0.1'): Promise<Edge> {
  const server = createServer(async (incoming, response) => {
    const { hostname, port, pathname } = new URL(await origin());
    const { method, url, headers } = incoming;
    const forwarded = request({ hostname, port, method, headers, path: pathname + url }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}
