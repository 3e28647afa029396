import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { KeyAndCertificate } from './certificates.ts';

/** One request as it arrived, at `at` (epoch ms). Header names in lower case. */
export type Received = { at: number; method: string; path: string; headers: Record<string, string>; body: string };

/** What the receiver does with a request: an answer, silence until it is closed, or a reset connection. */
export type Behaviour = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'reset';

export type WebhookReceiver = {
  /** `https://127.0.0.1:41234`, without a slash at the end. */
  url: string;
  received: Received[];
  /** Behaves so from the next request on, one behaviour a request; the last one stays. At first: 200. */
  behave(...next: Behaviour[]): void;
  close(): Promise<void>;
};

/**
 * A real server, on 127.0.0.1 unless `host` says otherwise, that keeps what it gets. With `tls: true` this process
 * trusts its certificate from then on; another process has to be told to trust the authority of the one that is given.
 */
export async function startReceiver(
  options: { tls?: boolean | KeyAndCertificate; host?: string } = {},
): Promise<WebhookReceiver> {
  const { host = '127.0.0.1' } = options;
  const received: Received[] = [];
  let behaviours: Behaviour[] = [{ status: 200 }];

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
    const behaviour = behaviours.length > 1 ? behaviours.shift()! : behaviours[0]!;
    if (behaviour === 'reset') request.socket.destroy();
    else if (behaviour !== 'hang') response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
  };

  const own = options.tls === true ? await trustedCertificate() : options.tls;
  const server = own ? createHttpsServer(own, onRequest) : createHttpServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${(server.address() as AddressInfo).port}`,
    received,
    behave: (...next) => {
      behaviours = next;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The signature that a request must carry, computed by other means than the service computes it. */
export async function signatureOf(body: string, secret: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, bytes.encode(body));
  return `sha256=${Buffer.from(mac).toString('hex')}`;
}

/** Issued for 127.0.0.1 by an authority of the tests' own, which this process trusts from then on. */
async function trustedCertificate(): Promise<KeyAndCertificate> {
  // Loaded only by those who need it: most receivers speak plain HTTP.
  const { makeAuthority } = await import('./certificates.ts');
  const authority = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
  return authority.issue({ names: ['127.0.0.1', 'localhost'] });
}
