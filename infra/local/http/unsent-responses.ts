import type { ServerResponse } from 'node:http';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import type { Bounds } from './bounds.ts';

/** Bounds the memory of unread responses: beyond the bound, cuts the oldest of the network with the largest total. */
export function boundUnsent(bounds: Bounds): (response: ServerResponse, address: string, bytes: number) => void {
  const waiting = new Map<string, { bytes: number; responses: Map<ServerResponse, number> }>();
  let total = 0;

  function forget(network: string, response: ServerResponse): void {
    const own = waiting.get(network);
    const bytes = own?.responses.get(response);
    if (!own || bytes === undefined) return;
    own.responses.delete(response);
    own.bytes -= bytes;
    total -= bytes;
    if (own.responses.size === 0) waiting.delete(network);
  }

  function cutOne(): void {
    const [network, { responses }] = [...waiting].reduce((a, b) => (b[1].bytes > a[1].bytes ? b : a));
    const oldest = responses.keys().next().value!;
    forget(network, oldest);
    oldest.destroy();
  }

  return (response, address, bytes) => {
    if (bytes <= bounds.small_response_bytes) return;
    const network = networkOf(address);
    const own = waiting.get(network) ?? { bytes: 0, responses: new Map() };
    waiting.set(network, own);
    own.responses.set(response, bytes);
    own.bytes += bytes;
    total += bytes;
    response.on('close', () => forget(network, response));
    // The new response is not cut if it is the only one, so a response may exceed the bound.
    while (total > bounds.response_bytes && total > bytes) cutOne();
  };
}
