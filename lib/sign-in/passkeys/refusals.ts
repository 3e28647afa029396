import { AppError } from '#lib/platform/errors.ts';

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

export type Refusal = keyof typeof SENTENCES;

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
