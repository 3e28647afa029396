import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { createServer } from '#lib/net/node-http.ts';

/** The API returns 503 in the last 15 s of every 45 s unless it is restarted. */
const CYCLE_MS = 45_000;
const BAD_MS = 15_000;

type DemoTarget = { url: string; port: number; stop(): void };

/** Starts a target with `/shop`, a failing `/api`, `/restart`, a WebSocket `/live`, and `/alerts` (Slack). */
export async function startDemoTarget(on: {
  alert(text: string): void;
  restart(what: string): void;
}): Promise<DemoTarget> {
  let goodUntil = 0;
  const server = createServer(async (request, response) => {
    if (request.url === '/alerts') on.alert((JSON.parse(await bodyOf(request)) as { text: string }).text);
    if (request.url === '/restart') {
      goodUntil = Date.now() + BAD_MS;
      on.restart((JSON.parse(await bodyOf(request)) as { what: string }).what);
    }
    const isBad = Date.now() % CYCLE_MS > CYCLE_MS - BAD_MS && Date.now() > goodUntil;
    const fails = request.url === '/api' && isBad;
    response.statusCode = fails ? 503 : 200;
    response.end(fails ? 'try later' : 'ok');
  });
  new WebSocketServer({ server, path: '/live' }).on('connection', (socket) => {
    // The client may disconnect before the message.
    socket.on('error', () => socket.terminate());
    socket.send('{"price": 12}');
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, stop: () => server.close() };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
