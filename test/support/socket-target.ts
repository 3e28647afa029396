import { createServer as createHttp, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';

/** A local peer for probes; `await using` closes it with all of its connections. */
export type Target = AsyncDisposable & { host: string; port: number; url: string; connections: () => number };

const DEFAULT_HOST = '127.77.0.1';

/** An HTTP server that answers as told. @param more what else it does, such as an upgrade */
export function httpTarget(
  listener: RequestListener,
  host = DEFAULT_HOST,
  more: (server: HttpServer) => void = () => {},
): Promise<Target> {
  const server = createHttp(listener);
  more(server);
  return listening(server, host, 'http');
}

/** A TCP server that does as told with each connection: nothing, garbage, half an answer. */
export const rawTarget = (onConnection: (socket: Socket) => void, host = DEFAULT_HOST, port = 0): Promise<Target> =>
  listening(createTcp(onConnection), host, 'http', port);

/** Starts a server on a free port of a loopback address. */
export async function listening(server: Server | HttpServer, host: string, scheme: string, at = 0): Promise<Target> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    // What the other side does to the connection is what the test is about.
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

/** A port of a loopback address on which nothing listens. */
export async function closedPort(host = DEFAULT_HOST): Promise<number> {
  await using target = await rawTarget(() => {}, host);
  return target.port;
}
