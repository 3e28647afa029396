import * as z from 'zod';
import { canonicalHost } from '#lib/platform/net/egress.ts';

/** A host name or an IP address; whether it may be reached is the guard's to say. */
export const Host = z
  .string()
  .max(253)
  .refine((host) => canonicalHost(host) !== undefined, 'must be a host name or an IP address, without scheme and port')
  .describe('Host name or IP address, without scheme and port.');

export const Port = z.int().min(1).max(65_535).describe('TCP port.');
