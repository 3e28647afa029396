import { createHash } from 'node:crypto';
import type { Place } from '#lib/identity/passkeys/judge-answer.ts';
import type { ClientData } from '#lib/identity/passkeys/responses.ts';
import type { Ceremony, Refusal } from './refusals.ts';

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
  { origin, rp_id }: Place,
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
export const wentBack = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before;
