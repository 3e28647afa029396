import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTls, type TlsOptions } from 'node:tls';
import { listening, type Target } from './socket-target.ts';

/** Starts an HTTPS server with a given certificate. @param more sets up other behavior, such as an upgrade */
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

/** Starts a TLS server that sends nothing after the handshake. */
export const tlsTarget = (options: TlsOptions, host = '127.77.0.1'): Promise<Target> =>
  listening(
    createTls(options, (socket) => socket.on('error', () => {})).on('tlsClientError', () => {}),
    host,
    'https',
  );
