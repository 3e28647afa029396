import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';
import { type OwnAddresses, ownOrigin } from '#lib/platform/http/own-address.ts';

/** Where a passkey is used: the origin of the page, and its host, which is the id that the passkey is bound to. */
export type Place = { origin: string; rp_id: string };

/**
 * Why passkeys do not work at an origin of ours; undefined where they do. Browsers allow them at names alone, and
 * without TLS at localhost alone (WebAuthn level 3, section 5.1.3; Secure Contexts, section 3.1). Pure.
 */
export function whyNoPasskeys({ protocol, hostname }: URL): string | undefined {
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) {
    return `Passkeys do not work at an IP address such as ${hostname}. Open this service by its name, or at http://localhost on its own machine.`;
  }
  if (protocol !== 'https:' && hostname !== 'localhost') {
    return 'Passkeys need https, or http://localhost on the machine itself. Put a proxy with TLS in front.';
  }
  return undefined;
}

/** Where a request comes from, as passkeys see it. Throws FORBIDDEN at an address that is not ours, or has none. */
export function placeOf(headers: Parameters<typeof ownOrigin>[0], own: OwnAddresses): Place {
  const page = ownOrigin(headers, own);
  const why = whyNoPasskeys(page);
  if (why !== undefined) throw new AppError('FORBIDDEN', why);
  return { origin: page.origin, rp_id: page.hostname };
}
