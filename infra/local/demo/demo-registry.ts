import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const DAYS_LEFT = 200;

/** Starts a registry of all domains below .com, valid for 200 days (RDAP, RFC 9083; list: RFC 9224). */
export async function startDemoRegistry(): Promise<{ list: string }> {
  const server = createServer((request, response) => {
    const eventDate = new Date(Date.now() + DAYS_LEFT * 86_400_000).toISOString();
    const domain = { objectClassName: 'domain', events: [{ eventAction: 'expiration', eventDate }] };
    const list = { version: '1.0', services: [[['com'], [`${url}/`]]] };
    response.setHeader('content-type', 'application/rdap+json');
    response.end(JSON.stringify(request.url === '/dns.json' ? list : domain));
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { list: `${url}/dns.json` };
}
