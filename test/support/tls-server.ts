import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTls, type TlsOptions } from 'node:tls';
import { listening, type Target } from './socket-target.ts';

/** An HTTPS server with a given certificate. @param more what else it does, such as an upgrade */
export function httpsTarget(
  options: TlsOptions,
  listener: RequestListener,
  host = '127.77.0.1',
  more: (server: HttpServer) => void = () => {},
): Promise<Target> {
  const server = createHttps(options, listener);
  more(server);
  return listening(server, host, 'https');
}

/** A TLS server that says nothing once the handshake is done. */
export const tlsTarget = (options: TlsOptions, host = '127.77.0.1'): Promise<Target> =>
  listening(
    createTls(options, (socket) => socket.on('error', () => {})).on('tlsClientError', () => {}),
    host,
    'https',
  );
