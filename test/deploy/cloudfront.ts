import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Edge = { url: string; stop(): void };

/**
 * Starts the part of CloudFront that a page sees: one origin with the paths of the API. The emulator has none.
 * @param origin returns the API of the emulator, with a path of its own
 * @param host address on which it listens
 */
export async function startEdge(origin: () => Promise<string>, host = '127.0.0.1'): Promise<Edge> {
  const server = createServer(async (asked, answer) => {
    const { hostname, port, pathname } = new URL(await origin());
    const { method, url, headers } = asked;
    const passed = request({ hostname, port, method, headers, path: pathname + url }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.writeHead(502).end());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}
