import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';
import { type ServiceAddresses, serviceOriginOf } from '#lib/platform/http/service-host.ts';
import type { ClientData } from './responses.ts';

/** Fixed part of authenticator data (WebAuthn level 3, section 6.1). */
type AuthenticatorData = {
  /** SHA-256 of the rp_id for which the authenticator responded. */
  rp_id_hash: Buffer;
  user_verified: boolean;
  /** Backup state: whether a copy of the passkey is stored elsewhere. */
  synced: boolean;
  counter: number;
};

const HEADER_BYTES = 37;
const FLAGS_AT = 32;
const COUNTER_AT = 33;
const USER_VERIFIED = 0x04;
const BACKUP_STATE = 0x10;

/** Parses authenticator data; undefined if it is too short. */
export function authenticatorDataOf(bytes: Uint8Array): AuthenticatorData | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = data[FLAGS_AT]!;
  return {
    rp_id_hash: data.subarray(0, FLAGS_AT),
    user_verified: (flags & USER_VERIFIED) !== 0,
    synced: (flags & BACKUP_STATE) !== 0,
    counter: data.readUInt32BE(COUNTER_AT),
  };
}

/**
 * Validates the ceremony, the origin, the relying party and the user verification of an authenticator response.
 * `challenge.ts` checks its challenge, `verify.ts` its signature, and `sign-in.ts` its counter. Rejects responses of a
 * page that another origin has embedded in a frame. Pure. @returns the reason of a rejection; undefined if it is valid
 */
export function validateResponse(
  ceremony: Ceremony,
  { origin, rp_id }: RelyingParty,
  client: ClientData,
  data: AuthenticatorData,
): Refusal | undefined {
  if (client.type !== ceremony) return 'ceremony';
  if (client.origin !== origin || client.crossOrigin) return 'origin';
  if (!data.rp_id_hash.equals(createHash('sha256').update(rp_id).digest())) return 'rp_id';
  if (!data.user_verified) return 'user_verification';
  return undefined;
}

/** Whether a counter did not increase (WebAuthn level 3, section 6.1.1). Authenticators without one always return 0. */
export const counterDidNotIncrease = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before;

/** Origin of the page that uses a passkey, and its host, which is the id that the passkey is bound to. */
export type RelyingParty = { origin: string; rp_id: string };

type Headers = Record<string, string | undefined>;

/** Returns why passkeys fail at an origin; undefined if they work (WebAuthn 3, 5.1.3; Secure Contexts, 3.1). Pure. */
export function passkeysUnavailableReason({ protocol, hostname }: URL): string | undefined {
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) {
    return (
      `Passkeys need a host name, and ${hostname} is an IP address. Open this service by a name with https, or at ` +
      'http://localhost on its own machine. Until then, sign in with a link or an API key.'
    );
  }
  if (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')) return undefined;
  return 'Passkeys need https, or http://localhost. Until then, sign in with a link or an API key.';
}

/** Returns the relying party of a request. Throws FORBIDDEN at an unknown address or one where passkeys do not work. */
export function relyingPartyOf(headers: Headers, addresses: ServiceAddresses): RelyingParty {
  const page = serviceOriginOf(headers, addresses);
  const reason = passkeysUnavailableReason(page);
  if (reason !== undefined) throw new AppError('FORBIDDEN', reason);
  return { origin: page.origin, rp_id: page.hostname };
}

/**
 * Returns why passkeys do not work at the address of a GET, which has no `Origin`; undefined if they do. Browsers send
 * `Sec-Fetch-Site` only over TLS and to localhost (Fetch Metadata Request Headers, section 2).
 */
export function passkeysUnavailableHere(headers: Headers, addresses: ServiceAddresses): string | undefined {
  try {
    const page = serviceOriginOf(headers, addresses);
    if (headers['sec-fetch-site'] !== undefined) page.protocol = 'https:';
    return passkeysUnavailableReason(page);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Ceremony of client data: adding or using a passkey (WebAuthn level 3, section 5.8.1). */
export type Ceremony = 'webauthn.create' | 'webauthn.get';

const MESSAGES = {
  garbled: 'The authenticator response is malformed. Send the result of toJSON() in the browser.',
  ceremony:
    'This response is for another purpose: options to add a passkey and options to sign in are not interchangeable.',
  challenge: 'These options were already used, are older than 5 minutes, or belong to another user. Request new ones.',
  unknown: 'This passkey is unknown; it may have been removed.',
  origin: 'The passkey was used on a page of another origin. Open this service at its own address and try again.',
  rp_id: 'This passkey belongs to another address. Sign in at the address of its registration.',
  user_verification: 'The authenticator did not verify you. Use one that requires a fingerprint, a face or a PIN.',
  signature: 'The signature of this passkey is invalid.',
  counter:
    'The counter of this passkey did not increase, so it may have been copied. Use another sign-in method, and remove the passkey.',
} as const;

type Refusal = keyof typeof MESSAGES;

const MALFORMED: readonly Refusal[] = ['garbled', 'ceremony'];

/** Returns UNAUTHORIZED or VALIDATION_ERROR for a rejected response. The error repeats nothing of the request. */
export function rejectionError(ceremony: Ceremony, reason: Refusal, cause?: unknown): AppError {
  const message = MESSAGES[reason];
  if (ceremony === 'webauthn.get' && !MALFORMED.includes(reason))
    return new AppError('UNAUTHORIZED', message, { cause });
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'response', message }], cause });
}
