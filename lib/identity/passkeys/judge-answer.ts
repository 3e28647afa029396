import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';
import { type OwnAddresses, ownOrigin } from '#lib/platform/http/own-address.ts';

/** Where a passkey is used: the origin of the page, and its host, which is the id that the passkey is bound to. */
export type Place = { origin: string; rp_id: string };

type Headers = Record<string, string | undefined>;

/**
 * Why passkeys do not work at an origin of ours; undefined where they do. Browsers allow them at names alone, and
 * without TLS at localhost alone (WebAuthn level 3, section 5.1.3; Secure Contexts, section 3.1). Pure.
 */
export function whyNoPasskeys({ protocol, hostname }: URL): string | undefined {
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) {
    return (
      `Passkeys need a name, and ${hostname} is an IP address. Open this service by a name with https, or at ` +
      'http://localhost on its own machine. Until then, sign in with a link or an API key.'
    );
  }
  if (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')) return undefined;
  return 'Passkeys need https, or http://localhost. Until then, sign in with a link or an API key.';
}

/** Where a request comes from, as passkeys see it. Throws FORBIDDEN at an address that is not ours, or has none. */
export function placeOf(headers: Headers, own: OwnAddresses): Place {
  const page = ownOrigin(headers, own);
  const why = whyNoPasskeys(page);
  if (why !== undefined) throw new AppError('FORBIDDEN', why);
  return { origin: page.origin, rp_id: page.hostname };
}

/**
 * Why passkeys do not work where a GET came to, which names no origin; undefined where they do. Browsers send
 * `Sec-Fetch-Site` over TLS, and to localhost, alone (Fetch Metadata Request Headers, section 2).
 */
export function whyNoPasskeysHere(headers: Headers, own: OwnAddresses): string | undefined {
  try {
    const page = ownOrigin(headers, own);
    if (headers['sec-fetch-site'] !== undefined) page.protocol = 'https:';
    return whyNoPasskeys(page);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
