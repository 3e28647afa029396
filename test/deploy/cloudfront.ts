import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Edge = { url: string; stop(): void };

/**
 * Starts the part of CloudFront that a page sees: one origin with the paths of the API. The emulator has none.
 * @param origin the API of the emulator, with a path of its own
 */
export async function startEdge(origin: string): Promise<Edge> {
  const { hostname, port, pathname } = new URL(origin);
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const passed = request({ hostname, port, method, headers, path: pathname + url }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.writeHead(502).end());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}
