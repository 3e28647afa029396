import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { createServer } from '#lib/net/node-http.ts';
import { DATABASE, failsWith } from './demo-catalog.ts';

const FIRST_OUTAGE_MS = 15_000;
/**
 * Time from each repair to the next outage: more than six minutes, because an account has at most ten remediation
 * attempts per hour (docs/use/remediation.md).
 */
const OUTAGE_EVERY_MS = 7 * 60_000;
/** Duration of a repair: the checks of the dependents go down before its end. */
const REPAIR_MS = 20_000;

/** Report of a pipeline about an execution (docs/use/actions.md#report-from-a-pipeline). */
type Report = (execution: string, event: { status: string; logs: string[] }) => Promise<void>;

/**
 * Starts the monitored systems: `/health/SLUG` of services, a store, and the database, which refuses its clients
 * during an outage. `/repair` is the pipeline that restarts it; `/alerts` prints each alert that it receives.
 */
export async function startDemoTarget(on: {
  say(line: string): void;
  report: Report;
}): Promise<{ url: string; databasePort: number; storePort: number }> {
  let isBroken = false;
  const breakAfter = (ms: number) =>
    setTimeout(() => {
      isBroken = true;
      on.say('outage  the orders database refuses connections');
    }, ms);

  async function repair(execution: string): Promise<void> {
    on.say('repair  the action restarts the orders database');
    await on.report(execution, { status: 'running', logs: ['connections are refused', 'restarting the database'] });
    await new Promise((resolve) => setTimeout(resolve, REPAIR_MS));
    if (isBroken) breakAfter(OUTAGE_EVERY_MS);
    isBroken = false;
    await on.report(execution, { status: 'succeeded', logs: ['the database accepts connections'] });
  }

  const server = createServer(async (request, response) => {
    const [, place = '', slug = ''] = (request.url ?? '').split('/');
    if (place === 'alerts') on.say(`alert   ${JSON.parse(await bodyOf(request)).text}`);
    if (place === 'repair') {
      const { execution } = JSON.parse(await bodyOf(request));
      repair(execution).catch((error: Error) => on.say(`repair  ${error.message}`));
    }
    const fails = place === 'health' && isBroken && failsWith(slug, DATABASE);
    response.statusCode = fails ? 503 : 200;
    response.end(fails ? 'no connection to the orders database' : 'ok');
  });
  const database = storeServer(() => isBroken);
  const store = storeServer(() => false);
  const port = await portOf(server);
  const [databasePort, storePort] = [await portOf(database), await portOf(store)];
  breakAfter(FIRST_OUTAGE_MS);
  return { url: `http://127.0.0.1:${port}`, databasePort, storePort };
}

const storeServer = (isBroken: () => boolean): TcpServer =>
  createTcpServer((socket) => {
    // The client may disconnect before the response.
    socket.on('error', () => socket.destroy());
    if (isBroken()) socket.destroy();
    else socket.on('data', () => socket.write('+PONG\r\n'));
  });

async function portOf(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
