import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest, Net } from '#lib/net/net.ts';
import type { Vendor, VendorRequest, VendorResponse } from './vendor.ts';

const HOST = 'x-vendor-host';

/** Starts a real server that acts as the vendor of the requested host. `asked` has the received requests. */
export async function startVendors(vendors: Record<string, Vendor>) {
  const asked: (VendorRequest & { host: string })[] = [];
  const next: VendorResponse[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    const { pathname, searchParams } = new URL(request.url!, 'http://vendor.test');
    const host = headers[HOST]!;
    const body = Buffer.concat(chunks).toString('utf8');
    const one = { method: request.method!, path: pathname, query: searchParams, headers, body };
    asked.push({ ...one, host });
    const answer = next.shift() ?? vendors[host]?.(one) ?? { status: 404 };
    const isText = typeof answer.body === 'string';
    const type = isText ? 'text/plain' : 'application/json';
    response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
    response.end(answer.body === undefined ? '' : isText ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    /** Sets the responses to the next requests, one each, instead of the responses of the vendors. */
    answer: (...responses: VendorResponse[]) => void next.push(...responses),
    /** Returns a net that sends all requests here. */
    around: (net: Net): Net => ({
      ...net,
      http: (request: HttpRequest) => {
        const { host, pathname, search } = new URL(request.url);
        return net.http({ ...request, url: url + pathname + search, headers: { ...request.headers, [HOST]: host } });
      },
    }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
