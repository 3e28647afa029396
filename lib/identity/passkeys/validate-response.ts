import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';
import { type ServiceAddresses, serviceOriginOf } from '#lib/platform/http/service-host.ts';
import type { ClientData } from './responses.ts';

/** The part of authenticator data that is always there (WebAuthn level 3, section 6.1). */
type AuthenticatorData = {
  /** SHA-256 of the rp_id that the authenticator answered for. */
  rp_id_hash: Buffer;
  user_verified: boolean;
  /** Whether a copy of the passkey is kept elsewhere: the backup state. */
  synced: boolean;
  counter: number;
};

const HEADER_BYTES = 37;
const FLAGS_AT = 32;
const COUNTER_AT = 33;
const USER_VERIFIED = 0x04;
const BACKUP_STATE = 0x10;

/** Undefined for what is too short to be any. */
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
 * What is wrong about an authenticator's answer, but for its signature; undefined where nothing is. A page in a frame
 * of another one is another page. Pure.
 */
export function judgeAnswer(
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

/**
 * Whether a counter is not above what it was: two authenticators have the same key (WebAuthn level 3, section 6.1.1).
 * Those that do not count say 0 always.
 */
export const counterRolledBack = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before;

/** Where a passkey is used: the origin of the page, and its host, which is the id that the passkey is bound to. */
export type RelyingParty = { origin: string; rp_id: string };

type Headers = Record<string, string | undefined>;

/**
 * Why passkeys do not work at an origin of ours; undefined where they do. Browsers allow them at names alone, and
 * without TLS at localhost alone (WebAuthn level 3, section 5.1.3; Secure Contexts, section 3.1). Pure.
 */
export function passkeysUnavailableReason({ protocol, hostname }: URL): string | undefined {
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
export function relyingPartyOf(headers: Headers, own: ServiceAddresses): RelyingParty {
  const page = serviceOriginOf(headers, own);
  const why = passkeysUnavailableReason(page);
  if (why !== undefined) throw new AppError('FORBIDDEN', why);
  return { origin: page.origin, rp_id: page.hostname };
}

/**
 * Why passkeys do not work where a GET came to, which names no origin; undefined where they do. Browsers send
 * `Sec-Fetch-Site` over TLS, and to localhost, alone (Fetch Metadata Request Headers, section 2).
 */
export function whyNoPasskeysHere(headers: Headers, own: ServiceAddresses): string | undefined {
  try {
    const page = serviceOriginOf(headers, own);
    if (headers['sec-fetch-site'] !== undefined) page.protocol = 'https:';
    return passkeysUnavailableReason(page);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** What a browser says that it was asked for: to make a passkey, or to use one (WebAuthn level 3, section 5.8.1). */
export type Ceremony = 'webauthn.create' | 'webauthn.get';

/** Why an authenticator's answer is refused, and what to do about it. */
const SENTENCES = {
  garbled: 'This is not what an authenticator answers. Send what the browser gave, by its toJSON().',
  ceremony: 'This is the answer to another request: one adds a passkey, the other signs in with it.',
  challenge: 'These options were used already, are older than 5 minutes, or are not yours. Ask for new ones.',
  unknown: 'This passkey is not known here; it may have been removed.',
  origin: 'The passkey was used on another page than this one. Open this service at its own address, and try again.',
  rp_id: 'This passkey belongs to another address. Sign in at the address at which it was added.',
  user_verification:
    'The authenticator did not verify that it is you. Use one that asks for a fingerprint, a face or a PIN.',
  signature: 'The signature of this passkey is wrong.',
  counter:
    'This passkey was used elsewhere since it was used here, as a copy of it would be. Sign in by another way, and ' +
    'remove it.',
} as const;

type Refusal = keyof typeof SENTENCES;

/** Those that are about the form of what was sent, and not about who sends it. */
const MALFORMED: readonly Refusal[] = ['garbled', 'ceremony'];

/**
 * The error of a refused answer: UNAUTHORIZED where it was to sign in, VALIDATION_ERROR where it was to add a passkey
 * or is no such answer at all. Nothing of what came is repeated.
 */
export function refused(ceremony: Ceremony, why: Refusal, cause?: unknown): AppError {
  const message = SENTENCES[why];
  if (ceremony === 'webauthn.get' && !MALFORMED.includes(why)) return new AppError('UNAUTHORIZED', message, { cause });
  return new AppError('VALIDATION_ERROR', message, { details: [{ path: 'response', message }], cause });
}
