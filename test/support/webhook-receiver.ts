import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { KeyAndCertificate } from './certificates.ts';

/** A request as received, at `at` (epoch ms). Header names in lower case. */
export type Received = { at: number; method: string; path: string; headers: Record<string, string>; body: string };

/** Behavior of the receiver: a response, no response until it is closed, or a connection reset. */
export type Behavior = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'reset';

export type WebhookReceiver = {
  /** `https://127.0.0.1:41234`, without a slash at the end. */
  url: string;
  received: Received[];
  /** Sets the behavior of the next requests, one each; the last one stays. Initially: 200. */
  behave(...next: Behavior[]): void;
  close(): Promise<void>;
};

/**
 * Starts a real server, by default on 127.0.0.1, that records requests. With `tls: true` it issues a certificate that
 * this process then trusts. If `tls` is a certificate, the client must be configured to trust its authority.
 */
export async function startReceiver(
  options: { tls?: boolean | KeyAndCertificate; host?: string } = {},
): Promise<WebhookReceiver> {
  const { host = '127.0.0.1' } = options;
  const received: Received[] = [];
  let behaviors: Behavior[] = [{ status: 200 }];

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      at,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString('utf8'),
    });
    const behavior = behaviors.length > 1 ? behaviors.shift()! : behaviors[0]!;
    if (behavior === 'reset') request.socket.destroy();
    else if (behavior !== 'hang') response.writeHead(behavior.status, behavior.headers).end(behavior.body ?? '');
  };

  const own = options.tls === true ? await trustedCertificate() : options.tls;
  const server = own ? createHttpsServer(own, onRequest) : createHttpServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${(server.address() as AddressInfo).port}`,
    received,
    behave: (...next) => {
      behaviors = next;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns the expected signature of a request, computed independently of the service. */
export async function signatureOf(body: string, secret: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, bytes.encode(body));
  return `sha256=${Buffer.from(mac).toString('hex')}`;
}

/** Issues a certificate for 127.0.0.1 by a test authority, which this process then trusts. */
async function trustedCertificate(): Promise<KeyAndCertificate> {
  // Loaded on use: most receivers speak plain HTTP.
  const { makeAuthority } = await import('./certificates.ts');
  const authority = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
  return authority.issue({ names: ['127.0.0.1', 'localhost'] });
}
