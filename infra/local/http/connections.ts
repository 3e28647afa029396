import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import type { Bounds } from './bounds.ts';
import type { TrustedProxies } from './client-address.ts';

/** Bounds open connections per network (an IPv4 address, an IPv6 /64); closes idle ones near the total limit. */
export function boundConnections(server: Server, proxies: TrustedProxies, bounds: Bounds): void {
  const open = new Map<string, number>();
  let total = 0;
  server.maxConnections = bounds.connections;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > bounds.connections_of_address && !proxies.has(address)) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    total++;
    socket.on('close', () => {
      total--;
      const left = open.get(network)! - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    if (total > bounds.connections * 0.9) server.closeIdleConnections();
  });
}
