import { isIP } from 'node:net';
import * as z from 'zod';
import { canonicalHost } from '#lib/net/egress.ts';

/** Schema of a host name or IP address; the egress guard decides whether it is allowed. */
export const Host = z
  .string()
  .max(253)
  .refine((host) => canonicalHost(host) !== undefined, 'must be a host name or an IP address, without scheme and port')
  .describe('Host name or IP address, without scheme and port.');

export const Port = z.int().min(1).max(65_535).describe('TCP port.');

export function webSocketAddress(url: string): { host: string; port: number; isSecure: boolean } {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'wss:';
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isSecure ? 443 : 80), isSecure };
}

/** Normalizes a domain for registries: lower case, xn--, without trailing dot; undefined if it is not valid. */
export function canonicalDomain(input: string): string | undefined {
  const name = canonicalHost(input);
  return name !== undefined && isIP(name) === 0 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) ? name : undefined;
}
