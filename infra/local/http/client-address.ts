import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
export type TrustedProxies = { has(address: string): boolean };

/** Parses trusted proxies such as `127.0.0.0/8` or `::1`. @throws Error that names an invalid address */
export function trustedProxies(cidrs: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', length, ...rest] = cidr.split('/');
    const family = isIP(address);
    const bits = length === undefined ? (family === 6 ? 128 : 32) : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (family === 0 || rest.length > 0 || bits < 0 || bits > (family === 6 ? 128 : 32)) {
      throw new Error(`"${cidr}" is not an address or a range such as 10.0.0.0/8`);
    }
    list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const plain = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

const addressIn = (entry: string): string =>
  plain(
    entry
      .trim()
      .replace(/^\[([^\]]+)\](?::\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  );

/** Whether the client used TLS, as a trusted proxy says; with several proxies, as the first one says. */
export function clientUsedTls({ headers, socket }: IncomingMessage, proxies: TrustedProxies): boolean {
  const proto = headers['x-forwarded-proto'];
  if (proto === undefined || !proxies.has(plain(socket.remoteAddress ?? ''))) return false;
  return String(proto).split(',', 1)[0]!.trim().toLowerCase() === 'https';
}

/** Returns the last address of X-Forwarded-For and socket, except trusted proxies; a client can forge earlier ones. */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: TrustedProxies): string {
  let address = plain(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return address;
  const entries = String(forwarded).split(',');
  while (proxies.has(address) && entries.length > 0) {
    const next = addressIn(entries.pop()!);
    if (isIP(next) === 0) return address;
    address = next;
  }
  return address;
}
