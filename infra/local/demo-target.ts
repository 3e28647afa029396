import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Of every 45 s the API answers 503 for the last 15. */
const CYCLE_MS = 45_000;
const BAD_MS = 15_000;

export type DemoTarget = { url: string; stop(): void };

/**
 * Something to watch: `/shop` always works, `/api` fails now and then, and `/alerts` takes messages in the form of
 * Slack and hands their text on.
 */
export async function startDemoTarget(onAlert: (text: string) => void): Promise<DemoTarget> {
  const server = createServer(async (request, response) => {
    if (request.url === '/alerts') {
      onAlert((JSON.parse(await bodyOf(request)) as { text: string }).text);
      response.end('ok');
      return;
    }
    const fails = request.url === '/api' && Date.now() % CYCLE_MS > CYCLE_MS - BAD_MS;
    response.statusCode = fails ? 503 : 200;
    response.end(fails ? 'try later' : 'ok');
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
