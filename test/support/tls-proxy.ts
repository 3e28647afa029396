import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyAndCertificate } from './certificates.ts';

/**
 * A proxy with TLS in front of a service, at https://localhost, which hands on the Host that it was asked for, as such
 * proxies do. @param target address of the service, once it runs
 */
export async function startTlsProxy(
  certificate: KeyAndCertificate,
  target: () => string,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(certificate, (incoming: IncomingMessage, answer) => {
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(new URL(url, target()), { method: method!, headers, agent: false }, (given) => {
      answer.writeHead(given.statusCode!, given.headersDistinct as Record<string, string[]>);
      given.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
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
