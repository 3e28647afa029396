import { createServer as createHttp, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';

/** A local target of probes; `await using` closes it and its connections. */
export type Target = AsyncDisposable & { host: string; port: number; url: string; connections: () => number };

const DEFAULT_HOST = '127.77.0.1';

/** Starts an HTTP server with the given handler. @param more sets up other behavior, such as an upgrade */
export function httpTarget(
  listener: RequestListener,
  host = DEFAULT_HOST,
  more: (server: HttpServer) => void = () => {},
): Promise<Target> {
  const server = createHttp(listener);
  more(server);
  return listening(server, host, 'http');
}

/** Starts a TCP server with the given handler of connections. */
export const rawTarget = (onConnection: (socket: Socket) => void, host = DEFAULT_HOST, port = 0): Promise<Target> =>
  listening(createTcp(onConnection), host, 'http', port);

/** Starts a server on a loopback address. @param at port; 0 for a free one */
export async function listening(server: Server | HttpServer, host: string, scheme: string, at = 0): Promise<Target> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    // Tests ignore errors that the client causes on the connection.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const literal = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    url: `${scheme}://${literal}:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a port of a loopback address on which nothing listens. */
export async function closedPort(host = DEFAULT_HOST): Promise<number> {
  await using target = await rawTarget(() => {}, host);
  return target.port;
}
