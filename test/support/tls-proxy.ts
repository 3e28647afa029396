import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyAndCertificate } from './certificates.ts';

/**
 * Starts a TLS proxy at https://localhost that forwards requests, with their Host header, to a service.
 * @param target returns the address of the service; called for each request, so the service can start later
 */
export async function startTlsProxy(
  certificate: KeyAndCertificate,
  target: () => string,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(certificate, (incoming: IncomingMessage, response) => {
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(new URL(url, target()), { method: method!, headers, agent: false }, (given) => {
      response.writeHead(given.statusCode!, given.headersDistinct as Record<string, string[]>);
      given.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
