import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whose X-Forwarded-For and X-Forwarded-Proto are believed. */
export type TrustedProxies = { has(address: string): boolean };

/**
 * @param cidrs `127.0.0.0/8`, `::1`, `10.1.2.3`
 * @throws Error of one sentence that names what is no address
 */
export function trustedProxies(cidrs: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', length, ...rest] = cidr.split('/');
    const family = isIP(address);
    const bits = length === undefined ? (family === 6 ? 128 : 32) : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (family === 0 || rest.length > 0 || bits < 0 || bits > (family === 6 ? 128 : 32)) {
      throw new Error(`"${cidr}" is no address and no range such as 10.0.0.0/8`);
    }
    list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const plain = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

/** An entry of X-Forwarded-For without brackets and port. */
const named = (entry: string): string =>
  plain(
    entry
      .trim()
      .replace(/^\[([^\]]+)\](?::\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  );

/** Whether the client speaks TLS to a trusted proxy: that of the first, where there are several. */
export function cameByTls({ headers, socket }: IncomingMessage, proxies: TrustedProxies): boolean {
  const proto = headers['x-forwarded-proto'];
  if (proto === undefined || !proxies.has(plain(socket.remoteAddress ?? ''))) return false;
  return String(proto).split(',', 1)[0]!.trim().toLowerCase() === 'https';
}

/**
 * The address that a request comes from: that of the connection, or where that is a trusted proxy the last in
 * X-Forwarded-For that is none. Whatever stands before it was written by the client and says nothing.
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: TrustedProxies): string {
  let address = plain(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return address;
  const entries = String(forwarded).split(',');
  while (proxies.has(address) && entries.length > 0) {
    const next = named(entries.pop()!);
    if (isIP(next) === 0) return address;
    address = next;
  }
  return address;
}
