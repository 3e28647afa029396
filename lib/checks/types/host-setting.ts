import { isIP } from 'node:net';
import * as z from 'zod';
import { canonicalHost } from '#lib/net/egress.ts';

/** A host name or an IP address; whether it may be reached is the guard's to say. */
export const Host = z
  .string()
  .max(253)
  .refine((host) => canonicalHost(host) !== undefined, 'must be a host name or an IP address, without scheme and port')
  .describe('Host name or IP address, without scheme and port.');

export const Port = z.int().min(1).max(65_535).describe('TCP port.');

/** Where a ws or wss URL leads. */
export function addressOf(url: string): { host: string; port: number; isSecure: boolean } {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'wss:';
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isSecure ? 443 : 80), isSecure };
}

/** A domain as a registry knows it: lower case, xn--, without the dot of the root; undefined when it is none. */
export function ofRegistry(written: string): string | undefined {
  const name = canonicalHost(written);
  return name !== undefined && isIP(name) === 0 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) ? name : undefined;
}
